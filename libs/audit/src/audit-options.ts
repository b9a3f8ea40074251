import { optionGroup, type ConflictCheck, type OptionsTable } from '@annex/runtime';

/** How events are passed to a backend. */
export type AuditMode = 'batch' | 'blocking' | 'blocking-strict';

/** The options of auditing. */
export interface AuditConfig {
  auditPolicyFile: string | undefined;
  auditLogPath: string | undefined;
  auditLogFormat: string;
  auditLogMaxage: number;
  auditLogMaxbackup: number;
  auditLogMaxsize: number;
  auditLogCompress: boolean;
  auditLogMode: string;
  auditLogBatchBufferSize: number;
  auditLogBatchMaxSize: number;
  auditLogBatchMaxWait: number;
  auditLogBatchThrottleEnable: boolean;
  auditLogBatchThrottleQps: number;
  auditLogBatchThrottleBurst: number;
  auditLogTruncateEnabled: boolean;
  auditLogTruncateMaxEventSize: number;
  auditLogTruncateMaxBatchSize: number;
  auditLogVersion: string;
  auditWebhookConfigFile: string | undefined;
  auditWebhookMode: string;
  auditWebhookInitialBackoff: number;
  auditWebhookBatchBufferSize: number;
  auditWebhookBatchMaxSize: number;
  auditWebhookBatchMaxWait: number;
  auditWebhookBatchThrottleEnable: boolean;
  auditWebhookBatchThrottleQps: number;
  auditWebhookBatchThrottleBurst: number;
  auditWebhookTruncateEnabled: boolean;
  auditWebhookTruncateMaxEventSize: number;
  auditWebhookTruncateMaxBatchSize: number;
  auditWebhookVersion: string;
}

const modes = ['batch', 'blocking', 'blocking-strict'];
const eventSize = 100 * 1024;
const batchSize = 10 * 1024 * 1024;
const version = 'audit.k8s.io/v1';

type LogKeys = Extract<keyof AuditConfig, `auditLog${string}`>;

const log: OptionsTable<Pick<AuditConfig, LogKeys>> = {
  auditLogPath: {
    flag: 'audit-log-path',
    type: 'path',
    help: "The file to append events to, one per line; '-' is standard output.",
  },
  auditLogFormat: {
    flag: 'audit-log-format',
    type: 'string',
    default: 'json',
    choices: ['json', 'legacy'],
    help: 'The format of events in the log.',
  },
  auditLogMaxage: {
    flag: 'audit-log-maxage',
    type: 'int',
    default: 366,
    min: 0,
    help: 'Days to keep rotated log files; 0 keeps them forever.',
  },
  auditLogMaxbackup: {
    flag: 'audit-log-maxbackup',
    type: 'int',
    default: 100,
    min: 0,
    help: 'The number of rotated log files to keep; 0 keeps all.',
  },
  auditLogMaxsize: {
    flag: 'audit-log-maxsize',
    type: 'int',
    default: 100,
    min: 0,
    help: 'Megabytes after which the log file is rotated; 0 for never.',
  },
  auditLogCompress: {
    flag: 'audit-log-compress',
    type: 'bool',
    default: false,
    help: 'Compress rotated log files with gzip.',
  },
  auditLogMode: {
    flag: 'audit-log-mode',
    type: 'string',
    default: 'blocking',
    choices: modes,
    help: 'Write events in batches, or before the response (blocking); blocking-strict also fails requests whose event is lost.',
  },
  auditLogBatchBufferSize: {
    flag: 'audit-log-batch-buffer-size',
    type: 'int',
    default: 10_000,
    min: 1,
    help: 'The number of buffered events in the mode batch.',
  },
  auditLogBatchMaxSize: {
    flag: 'audit-log-batch-max-size',
    type: 'int',
    default: 1,
    min: 1,
    help: 'The maximum number of events of one write in the mode batch.',
  },
  auditLogBatchMaxWait: {
    flag: 'audit-log-batch-max-wait',
    type: 'duration',
    default: 0,
    help: 'The maximum time that an event waits for its batch in the mode batch.',
  },
  auditLogBatchThrottleEnable: {
    flag: 'audit-log-batch-throttle-enable',
    type: 'bool',
    default: false,
    help: 'Limit the rate of writes in the mode batch.',
  },
  auditLogBatchThrottleQps: {
    flag: 'audit-log-batch-throttle-qps',
    type: 'int',
    default: 0,
    min: 0,
    help: 'Writes per second in the mode batch.',
  },
  auditLogBatchThrottleBurst: {
    flag: 'audit-log-batch-throttle-burst',
    type: 'int',
    default: 0,
    min: 0,
    help: 'Burst of writes in the mode batch.',
  },
  auditLogTruncateEnabled: {
    flag: 'audit-log-truncate-enabled',
    type: 'bool',
    default: false,
    help: 'Remove request and response objects from events that are too large.',
  },
  auditLogTruncateMaxEventSize: {
    flag: 'audit-log-truncate-max-event-size',
    type: 'int',
    default: eventSize,
    min: 1,
    help: 'The maximum bytes of an event.',
  },
  auditLogTruncateMaxBatchSize: {
    flag: 'audit-log-truncate-max-batch-size',
    type: 'int',
    default: batchSize,
    min: 1,
    help: 'For compatibility with kube-apiserver; lines are written one by one, regardless of their batch.',
  },
  auditLogVersion: {
    flag: 'audit-log-version',
    type: 'string',
    default: version,
    choices: [version],
    help: 'The version of the events in the log.',
  },
};

type WebhookKeys = Extract<keyof AuditConfig, `auditWebhook${string}`>;

const webhook: OptionsTable<Pick<AuditConfig, WebhookKeys>> = {
  auditWebhookConfigFile: {
    flag: 'audit-webhook-config-file',
    type: 'path',
    help: 'A kubeconfig of the webhook that receives lists of events.',
  },
  auditWebhookMode: {
    flag: 'audit-webhook-mode',
    type: 'string',
    default: 'batch',
    choices: modes,
    help: 'Send events in batches, or before the response (blocking); blocking-strict also fails requests whose event is lost.',
  },
  auditWebhookInitialBackoff: {
    flag: 'audit-webhook-initial-backoff',
    type: 'duration',
    default: 10_000,
    help: 'The delay before a failed list is sent again.',
  },
  auditWebhookBatchBufferSize: {
    flag: 'audit-webhook-batch-buffer-size',
    type: 'int',
    default: 10_000,
    min: 1,
    help: 'The number of buffered events.',
  },
  auditWebhookBatchMaxSize: {
    flag: 'audit-webhook-batch-max-size',
    type: 'int',
    default: 400,
    min: 1,
    help: 'The maximum number of events in one list.',
  },
  auditWebhookBatchMaxWait: {
    flag: 'audit-webhook-batch-max-wait',
    type: 'duration',
    default: 30_000,
    help: 'The maximum time that an event waits for its list.',
  },
  auditWebhookBatchThrottleEnable: {
    flag: 'audit-webhook-batch-throttle-enable',
    type: 'bool',
    default: true,
    help: 'Limit the rate of lists.',
  },
  auditWebhookBatchThrottleQps: {
    flag: 'audit-webhook-batch-throttle-qps',
    type: 'int',
    default: 10,
    min: 1,
    help: 'Lists per second.',
  },
  auditWebhookBatchThrottleBurst: {
    flag: 'audit-webhook-batch-throttle-burst',
    type: 'int',
    default: 15,
    min: 1,
    help: 'Burst of lists.',
  },
  auditWebhookTruncateEnabled: {
    flag: 'audit-webhook-truncate-enabled',
    type: 'bool',
    default: false,
    help: 'Remove request and response objects from events that are too large, and split lists.',
  },
  auditWebhookTruncateMaxEventSize: {
    flag: 'audit-webhook-truncate-max-event-size',
    type: 'int',
    default: eventSize,
    min: 1,
    help: 'The maximum bytes of an event.',
  },
  auditWebhookTruncateMaxBatchSize: {
    flag: 'audit-webhook-truncate-max-batch-size',
    type: 'int',
    default: batchSize,
    min: 1,
    help: 'The maximum bytes of a list.',
  },
  auditWebhookVersion: {
    flag: 'audit-webhook-version',
    type: 'string',
    default: version,
    choices: [version],
    help: 'The version of the events that are sent.',
  },
};

/** The audit options, with kube-apiserver's names and defaults. Without a policy, nothing is written. */
export const auditOptions: OptionsTable<AuditConfig> = optionGroup('Audit', {
  auditPolicyFile: {
    flag: 'audit-policy-file',
    type: 'path',
    help: 'The audit.k8s.io/v1 Policy, which selects requests and the level of their events.',
  },
  ...log,
  ...webhook,
});

/** Returns the conflicts of the options, with kube-apiserver's messages. */
export const auditConflicts: ConflictCheck<AuditConfig> = (config) => [
  ...truncateConflicts('log', config.auditLogTruncateMaxBatchSize, config.auditLogTruncateMaxEventSize),
  ...truncateConflicts(
    'webhook',
    config.auditWebhookTruncateMaxBatchSize,
    config.auditWebhookTruncateMaxEventSize,
  ),
  ...throttleConflicts(config),
];

const truncateConflicts = (backend: string, batch: number, event: number): string[] =>
  batch < event
    ? [
        `invalid audit truncate ${backend} max batch size ${batch}, must be greater than max event size (${event})`,
      ]
    : [];

function throttleConflicts(config: AuditConfig): string[] {
  if (config.auditLogMode !== 'batch' || !config.auditLogBatchThrottleEnable) return [];
  const limits = { QPS: config.auditLogBatchThrottleQps, burst: config.auditLogBatchThrottleBurst };
  return Object.entries(limits)
    .filter(([, value]) => value <= 0)
    .map(([name, value]) => `invalid audit batch log throttle ${name} ${value}, must be a positive number`);
}
