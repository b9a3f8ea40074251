import { optionGroup, type ConflictCheck, type OptionsTable } from '@annex/runtime';

/** The authorizers of the system. */
export interface AuthorizationConfig {
  authorizationMode: readonly string[] | undefined;
  authorizationConfig: string | undefined;
  authorizationPolicyFile: string | undefined;
  authorizationWebhookConfigFile: string | undefined;
  authorizationWebhookVersion: string;
  authorizationWebhookCacheAuthorizedTtl: number;
  authorizationWebhookCacheUnauthorizedTtl: number;
}

/** The authorization options, with kube-apiserver's names. Default: RBAC. */
export const authorizationOptions: OptionsTable<AuthorizationConfig> = optionGroup('Authorization', {
  authorizationMode: {
    flag: 'authorization-mode',
    type: 'list',
    help: 'The authorizers, in order: RBAC, ABAC, Webhook, Node, AlwaysAllow, AlwaysDeny. RBAC by default. Node permits kubelets nothing; grant them the ClusterRole system:node.',
  },
  authorizationConfig: {
    flag: 'authorization-config',
    type: 'path',
    help: 'An AuthorizationConfiguration, instead of the other options; read again when it changes.',
  },
  authorizationPolicyFile: {
    flag: 'authorization-policy-file',
    type: 'path',
    help: 'The policies of the mode ABAC: one JSON object per line.',
  },
  authorizationWebhookConfigFile: {
    flag: 'authorization-webhook-config-file',
    type: 'path',
    help: 'A kubeconfig of the webhook of the mode Webhook.',
  },
  authorizationWebhookVersion: {
    flag: 'authorization-webhook-version',
    type: 'string',
    default: 'v1beta1',
    choices: ['v1', 'v1beta1'],
    help: 'The version of the SubjectAccessReviews that the webhook receives.',
  },
  authorizationWebhookCacheAuthorizedTtl: {
    flag: 'authorization-webhook-cache-authorized-ttl',
    type: 'duration',
    default: 300_000,
    help: 'How long an allowing response of the webhook is cached.',
  },
  authorizationWebhookCacheUnauthorizedTtl: {
    flag: 'authorization-webhook-cache-unauthorized-ttl',
    type: 'duration',
    default: 30_000,
    help: 'How long a denying response of the webhook is cached.',
  },
});

const modes = ['ABAC', 'AlwaysAllow', 'AlwaysDeny', 'Node', 'RBAC', 'Webhook'];

/** Returns the conflicts of the options, with kube-apiserver's messages. */
export const authorizationConflicts: ConflictCheck<AuthorizationConfig> = (config) => {
  const {
    authorizationMode: requested,
    authorizationPolicyFile: policies,
    authorizationWebhookConfigFile: file,
  } = config;
  if (config.authorizationConfig !== undefined) {
    return requested === undefined && file === undefined
      ? []
      : [
          '--authorization-config can not be specified when --authorization-mode or --authorization-webhook-* flags are defined',
        ];
  }
  const chosen = requested ?? ['RBAC'];
  return [
    ...chosen.flatMap((mode) => modeErrors(mode, { policies, webhook: file })),
    ...(policies !== undefined && !chosen.includes('ABAC')
      ? ['cannot specify --authorization-policy-file without mode ABAC']
      : []),
    ...(file !== undefined && !chosen.includes('Webhook')
      ? ['cannot specify --authorization-webhook-config-file without mode Webhook']
      : []),
    ...(new Set(chosen).size < chosen.length
      ? [
          `authorization-mode [${chosen.map((mode) => JSON.stringify(mode)).join(' ')}] has mode specified more than once`,
        ]
      : []),
  ];
};

interface ModeFiles {
  policies: string | undefined;
  webhook: string | undefined;
}

function modeErrors(mode: string, { policies, webhook }: ModeFiles): string[] {
  if (!modes.includes(mode)) return [`authorization-mode ${JSON.stringify(mode)} is not a valid mode`];
  if (mode === 'ABAC' && policies === undefined) {
    return ["authorization-mode ABAC's authorization policy file not passed"];
  }
  if (mode === 'Webhook' && webhook === undefined) {
    return ["authorization-mode Webhook's authorization config file not passed"];
  }
  return [];
}
