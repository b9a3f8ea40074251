import { readDuration } from '@annex/machinery';
import { ConfigurationError, optional, readConfiguration, struct } from '../../configuration-file.ts';

/** `AuthorizationConfiguration` of `apiserver.config.k8s.io`: the authorizers, in order. */
export interface AuthorizationConfiguration {
  authorizers: readonly AuthorizerConfiguration[];
}

/** One authorizer. Unset members are empty. */
export interface AuthorizerConfiguration {
  type: string;
  name: string;
  webhook: WebhookConfiguration | undefined;
}

/** The settings of a webhook authorizer. Durations are in milliseconds. */
export interface WebhookConfiguration {
  timeout: number;
  authorizedTTL: number;
  cacheAuthorizedRequests: boolean;
  unauthorizedTTL: number;
  cacheUnauthorizedRequests: boolean;
  subjectAccessReviewVersion: string;
  matchConditionSubjectAccessReviewVersion: string;
  failurePolicy: string;
  connectionInfo: ConnectionInfo;
  matchConditions: readonly { expression: string }[];
}

export interface ConnectionInfo {
  type: string;
  kubeConfigFile: string | undefined;
}

const webhook = struct('WebhookConfiguration', {
  timeout: 'pointer',
  authorizedTTL: 'pointer',
  cacheAuthorizedRequests: 'optionalBool',
  unauthorizedTTL: 'pointer',
  cacheUnauthorizedRequests: 'optionalBool',
  subjectAccessReviewVersion: 'string',
  matchConditionSubjectAccessReviewVersion: 'string',
  failurePolicy: 'string',
  connectionInfo: struct('WebhookConnectionInfo', { type: 'string', kubeConfigFile: 'pointer' }),
  matchConditions: [struct('WebhookMatchCondition', { expression: 'string' })],
});

const authorizer = struct('AuthorizerConfiguration', {
  type: 'string',
  name: 'string',
  webhook: optional(webhook),
});

type Sent<T> = {
  [K in keyof T]: T[K] extends number
    ? string | undefined
    : T[K] extends boolean
      ? boolean | undefined
      : T[K];
};

interface SentAuthorizer extends Omit<AuthorizerConfiguration, 'webhook'> {
  webhook: Sent<WebhookConfiguration> | undefined;
}

/** Decodes a configuration file and applies the defaults. Rejects with {@link ConfigurationError}. */
export async function decodeAuthorizationConfiguration(text: string): Promise<AuthorizationConfiguration> {
  if (text === '') return { authorizers: [] };
  const read = await readConfiguration(text, {
    kind: 'AuthorizationConfiguration',
    fields: { authorizers: [authorizer] },
  });
  const { authorizers } = read as unknown as { authorizers: SentAuthorizer[] };
  return {
    authorizers: authorizers.map((one) => ({ ...one, webhook: one.webhook && completed(one.webhook) })),
  };
}

const [fiveMinutes, halfAMinute] = [300_000, 30_000];

const completed = (sent: Sent<WebhookConfiguration>): WebhookConfiguration => ({
  ...sent,
  timeout: milliseconds(sent.timeout),
  authorizedTTL: milliseconds(sent.authorizedTTL) || fiveMinutes,
  cacheAuthorizedRequests: sent.cacheAuthorizedRequests ?? true,
  unauthorizedTTL: milliseconds(sent.unauthorizedTTL) || halfAMinute,
  cacheUnauthorizedRequests: sent.cacheUnauthorizedRequests ?? true,
});

function milliseconds(text: string | undefined): number {
  if (text === undefined) return 0;
  const read = readDuration(text);
  if ('error' in read) throw new ConfigurationError(read.error);
  return Number(read.nanoseconds) / 1e6;
}
