import {
  alwaysAllowGroups,
  type AuthorizationConfiguration,
  type AuthorizerChain,
  openAuthorizerChain,
  privilegedGroup,
  type RbacAuthorizer,
  unionAuthorizer,
} from '@annex/auth';
import { type LiveFiles, OperatorError } from '@annex/runtime';
import type { ServerDeps } from '@annex/server';
import type { AuthorizationConfig } from './authorization-options.ts';

/** Dependencies of authorizers. */
export interface AuthorizerDeps extends Pick<ServerDeps, 'clock' | 'egress' | 'log' | 'metrics'> {
  rbac: RbacAuthorizer;
  files: LiveFiles;
}

/** Opens the configured authorizers; RBAC by default. Throws OperatorError FILE_UNREADABLE. */
export async function openAuthorizer(
  config: AuthorizationConfig,
  { files, ...deps }: AuthorizerDeps,
): Promise<AuthorizerChain> {
  const { authorizationMode: modes = ['RBAC'], authorizationConfig: file } = config;
  if (file === undefined && modes.length === 1 && modes[0] === 'RBAC') return rbacAlone(deps.rbac);
  const from = file === undefined ? configurationOf(modes, config) : await files.open(file);
  return await openAuthorizerChain(from, {
    ...deps,
    policyFile: config.authorizationPolicyFile,
  }).catch((cause: Error) => {
    const option = file === undefined ? '--authorization-mode' : `--authorization-config ${file}`;
    throw new OperatorError('FILE_UNREADABLE', `${option}: ${cause.message}`, { cause });
  });
}

/** RBAC decides; members of the privileged group have all permissions. */
const rbacAlone = (rbac: RbacAuthorizer): AuthorizerChain => ({
  ...unionAuthorizer([alwaysAllowGroups(privilegedGroup), rbac]),
  rulesFor: (user, namespace) => rbac.rulesFor(user, namespace),
});

/** Converts the options to the form of a configuration file. */
function configurationOf(modes: readonly string[], config: AuthorizationConfig): AuthorizationConfiguration {
  const authorizedTTL = config.authorizationWebhookCacheAuthorizedTtl;
  const unauthorizedTTL = config.authorizationWebhookCacheUnauthorizedTtl;
  const webhook = {
    timeout: 30_000,
    authorizedTTL,
    cacheAuthorizedRequests: authorizedTTL > 0,
    unauthorizedTTL,
    cacheUnauthorizedRequests: unauthorizedTTL > 0,
    subjectAccessReviewVersion: config.authorizationWebhookVersion,
    matchConditionSubjectAccessReviewVersion: '',
    failurePolicy: 'NoOpinion',
    connectionInfo: { type: 'KubeConfigFile', kubeConfigFile: config.authorizationWebhookConfigFile },
    matchConditions: [],
  };
  const one = (type: string) =>
    type === 'Webhook'
      ? { type, name: 'default', webhook }
      : { type, name: type.toLowerCase(), webhook: undefined };
  return { authorizers: modes.map(one) };
}
