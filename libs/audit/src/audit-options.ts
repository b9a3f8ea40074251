import type { ConflictCheck, OptionsTable } from '@annex/runtime';

/** How events are handed to a backend. */
export type AuditMode = 'batch' | 'blocking' | 'blocking-strict';

/** What is written of requests, and where. */
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
    help: "Where events are appended, a line each; '-' is standard output.",
  },
  auditLogFormat: {
    flag: 'audit-log-format',
    type: 'string',
    default: 'json',
    choices: ['json', 'legacy'],
    help: 'How an event is written to the log.',
  },
  auditLogMaxage: {
    flag: 'audit-log-maxage',
    type: 'int',
    default: 366,
    min: 0,
    help: 'Days that full log files are kept; 0 for ever.',
  },
  auditLogMaxbackup: {
    flag: 'audit-log-maxbackup',
    type: 'int',
    default: 100,
    min: 0,
    help: 'How many full log files are kept; 0 for all.',
  },
  auditLogMaxsize: {
    flag: 'audit-log-maxsize',
    type: 'int',
    default: 100,
    min: 0,
    help: 'Megabytes after which a log file is full; 0 for never.',
  },
  auditLogCompress: {
    flag: 'audit-log-compress',
    type: 'bool',
    default: false,
    help: 'Compress full log files with gzip.',
  },
  auditLogMode: {
    flag: 'audit-log-mode',
    type: 'string',
    default: 'blocking',
    choices: modes,
    help: 'Whether requests wait for their event to be written, and fail where it cannot be (blocking-strict).',
  },
  auditLogBatchBufferSize: {
    flag: 'audit-log-batch-buffer-size',
    type: 'int',
    default: 10_000,
    min: 1,
    help: 'Events that may wait to be written in the mode batch.',
  },
  auditLogBatchMaxSize: {
    flag: 'audit-log-batch-max-size',
    type: 'int',
    default: 1,
    min: 1,
    help: 'Events that are written at once in the mode batch.',
  },
  auditLogBatchMaxWait: {
    flag: 'audit-log-batch-max-wait',
    type: 'duration',
    default: 0,
    help: 'How long an event waits for others in the mode batch.',
  },
  auditLogBatchThrottleEnable: {
    flag: 'audit-log-batch-throttle-enable',
    type: 'bool',
    default: false,
    help: 'Limit how often is written in the mode batch.',
  },
  auditLogBatchThrottleQps: {
    flag: 'audit-log-batch-throttle-qps',
    type: 'int',
    default: 0,
    min: 0,
    help: 'Writes each second in the mode batch.',
  },
  auditLogBatchThrottleBurst: {
    flag: 'audit-log-batch-throttle-burst',
    type: 'int',
    default: 0,
    min: 0,
    help: 'Writes at once after a pause in the mode batch.',
  },
  auditLogTruncateEnabled: {
    flag: 'audit-log-truncate-enabled',
    type: 'bool',
    default: false,
    help: 'Cut what was sent and answered out of events that are too large.',
  },
  auditLogTruncateMaxEventSize: {
    flag: 'audit-log-truncate-max-event-size',
    type: 'int',
    default: eventSize,
    min: 1,
    help: 'Bytes from which an event is too large.',
  },
  auditLogTruncateMaxBatchSize: {
    flag: 'audit-log-truncate-max-batch-size',
    type: 'int',
    default: batchSize,
    min: 1,
    help: 'Taken as kube-apiserver takes it; lines are written one by one, whatever their batch.',
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
    help: 'A kubeconfig that says where events are sent, in lists.',
  },
  auditWebhookMode: {
    flag: 'audit-webhook-mode',
    type: 'string',
    default: 'batch',
    choices: modes,
    help: 'Whether events are gathered and sent while requests go on, or requests wait for theirs to be sent, and fail where it cannot be (blocking-strict).',
  },
  auditWebhookInitialBackoff: {
    flag: 'audit-webhook-initial-backoff',
    type: 'duration',
    default: 10_000,
    help: 'The wait before a list that could not be sent is sent again.',
  },
  auditWebhookBatchBufferSize: {
    flag: 'audit-webhook-batch-buffer-size',
    type: 'int',
    default: 10_000,
    min: 1,
    help: 'Events that may wait to be sent.',
  },
  auditWebhookBatchMaxSize: {
    flag: 'audit-webhook-batch-max-size',
    type: 'int',
    default: 400,
    min: 1,
    help: 'Events in one list.',
  },
  auditWebhookBatchMaxWait: {
    flag: 'audit-webhook-batch-max-wait',
    type: 'duration',
    default: 30_000,
    help: 'How long an event waits for others.',
  },
  auditWebhookBatchThrottleEnable: {
    flag: 'audit-webhook-batch-throttle-enable',
    type: 'bool',
    default: true,
    help: 'Limit how many lists are sent.',
  },
  auditWebhookBatchThrottleQps: {
    flag: 'audit-webhook-batch-throttle-qps',
    type: 'int',
    default: 10,
    min: 1,
    help: 'Lists that are sent each second.',
  },
  auditWebhookBatchThrottleBurst: {
    flag: 'audit-webhook-batch-throttle-burst',
    type: 'int',
    default: 15,
    min: 1,
    help: 'Lists that are sent at once after a pause.',
  },
  auditWebhookTruncateEnabled: {
    flag: 'audit-webhook-truncate-enabled',
    type: 'bool',
    default: false,
    help: 'Cut what was sent and answered out of events that are too large, and lists into several.',
  },
  auditWebhookTruncateMaxEventSize: {
    flag: 'audit-webhook-truncate-max-event-size',
    type: 'int',
    default: eventSize,
    min: 1,
    help: 'Bytes from which an event is too large.',
  },
  auditWebhookTruncateMaxBatchSize: {
    flag: 'audit-webhook-truncate-max-batch-size',
    type: 'int',
    default: batchSize,
    min: 1,
    help: 'Bytes from which a list is too large.',
  },
  auditWebhookVersion: {
    flag: 'audit-webhook-version',
    type: 'string',
    default: version,
    choices: [version],
    help: 'The version of the events that are sent.',
  },
};

/** The audit options, with kube-apiserver's names and defaults. Without a policy nothing is written. */
export const auditOptions: OptionsTable<AuditConfig> = {
  auditPolicyFile: {
    flag: 'audit-policy-file',
    type: 'path',
    help: 'The audit.k8s.io/v1 Policy that says what is written of which requests.',
  },
  ...log,
  ...webhook,
};

/** Rules between the options, in kube-apiserver's words. */
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
