import {
  type Clock,
  type EgressSelector,
  type Logger,
  type Metrics,
  OperatorError,
  readTextFile,
} from '@annex/runtime';
import { Client, loadKubeconfig } from '@annex/client';
import { type AuditEvent, type AuditSink } from './audit-event.ts';
import type { AuditConfig } from './audit-options.ts';
import { type AuditPolicy, parseAuditPolicy } from './audit-policy.ts';
import { batched, type BatchLimits } from './batches.ts';
import { LogFile } from './log-file.ts';
import { allSinks, ignoreLosses, type LineOutput, lineSink, sending, truncating } from './sinks.ts';
import { eventListSender } from './webhook-sink.ts';

/** Dependencies of auditing. */
export interface AuditDeps {
  clock: Clock;
  log: Logger;
  metrics: Metrics;
  /** Reaches the webhook. */
  egress?: EgressSelector | undefined;
  /** Set if several threads of the process are audited. */
  threads?: AuditThreads | undefined;
}

/** How threads share the log file: one has it open. */
export interface AuditThreads {
  /** Serves the log file of this thread to the others. */
  serve?(write: (line: string) => void | Promise<void>): void;
  /** Writes a line in the thread that has the file open. */
  write?(line: string): Promise<void>;
}

/** The audit policy and the open sink of its events. */
export interface OpenAudit {
  readonly policy: AuditPolicy;
  readonly sink: AuditSink;
  /** Resolves when waiting events are written. */
  close(): Promise<void>;
}

/**
 * Opens the configured policy and backends; `undefined` without a policy. Throws OperatorError
 * FILE_UNREADABLE.
 */
export async function openAudit(config: AuditConfig, deps: AuditDeps): Promise<OpenAudit | undefined> {
  const { auditPolicyFile, auditLogPath, auditWebhookConfigFile } = config;
  if (auditPolicyFile === undefined) return undefined;
  const policy = await readPolicy(auditPolicyFile);
  const written = deps.metrics.counter('apiserver_audit_event_total', 'Audit events that were created.', []);
  const lost = deps.metrics.counter('apiserver_audit_error_total', 'Audit events that were lost.', [
    'plugin',
  ]);
  const onLost =
    (plugin: string) =>
    (error: unknown, count = 1) => {
      lost.inc({ plugin }, count);
      deps.log.error('audit events were lost', { plugin, count, error });
    };
  const sinks: AuditSink[] = [];
  if (auditLogPath !== undefined) sinks.push(await logSink(config, auditLogPath, deps, onLost('log')));
  if (auditWebhookConfigFile !== undefined) {
    sinks.push(await webhookSink(config, auditWebhookConfigFile, deps, onLost('webhook')));
  }
  if (sinks.length === 0) return undefined;
  const all = allSinks(sinks);
  const counted: AuditSink = {
    write(event) {
      written.inc({});
      return all.write(event);
    },
    close: () => all.close(),
  };
  return { policy, sink: counted, close: () => all.close() };
}

type OnLost = (error: unknown, count?: number) => void;

const tooLarge = new Error('the event is too large');

async function readPolicy(file: string): Promise<AuditPolicy> {
  try {
    return await parseAuditPolicy(await readTextFile(file));
  } catch (cause) {
    const why = `loading audit policy file: ${(cause as Error).message}: from file ${file}`;
    throw new OperatorError('FILE_UNREADABLE', why, { cause });
  }
}

async function logSink(
  config: AuditConfig,
  path: string,
  { clock, threads }: AuditDeps,
  onLost: OnLost,
): Promise<AuditSink> {
  const output = path === '-' ? standardOutput : await openOutput(config, path, { clock, threads });
  const lineOf = (event: AuditEvent) =>
    config.auditLogFormat === 'legacy' ? event.legacyLine() : event.json();
  const lines = lineSink(output, lineOf, onLost);
  const sink = forMode(config, lines, clock, onLost);
  return config.auditLogTruncateEnabled
    ? truncating(sink, config.auditLogTruncateMaxEventSize, () => onLost(tooLarge))
    : sink;
}

const standardOutput = {
  write: (line: string) => void process.stdout.write(line),
  close: () => Promise.resolve(),
};

async function openOutput(
  config: AuditConfig,
  path: string,
  { clock, threads }: Pick<AuditDeps, 'clock' | 'threads'>,
): Promise<LineOutput> {
  if (threads?.write !== undefined) return { write: threads.write, close: () => Promise.resolve() };
  const file = await openLog(config, path, clock);
  threads?.serve?.((line) => file.write(line));
  return file;
}

async function openLog(config: AuditConfig, path: string, clock: Clock): Promise<LogFile> {
  const rotation = {
    maxBytes: config.auditLogMaxsize * 1024 * 1024,
    maxBackups: config.auditLogMaxbackup,
    maxAge: config.auditLogMaxage,
    compress: config.auditLogCompress,
  };
  return await LogFile.open(path, rotation, clock).catch((cause: Error) => {
    throw new OperatorError('FILE_UNREADABLE', `--audit-log-path: ${cause.message}`, { cause });
  });
}

/** Writes lines before the response or in batches, by the mode. */
function forMode(config: AuditConfig, lines: AuditSink, clock: Clock, onLost: OnLost): AuditSink {
  if (config.auditLogMode === 'blocking-strict') return lines;
  if (config.auditLogMode === 'blocking') return ignoreLosses(lines);
  const waiting = batched(
    logLimits(config),
    clock,
    async (events) => {
      for (const event of events) await lines.write(event);
    },
    onLost,
  );
  const close = async () => {
    await waiting.close();
    await lines.close();
  };
  return ignoreLosses({ write: (event) => waiting.write(event), close });
}

const logLimits = (config: AuditConfig): BatchLimits => ({
  bufferSize: config.auditLogBatchBufferSize,
  maxSize: config.auditLogBatchMaxSize,
  maxWaitMs: config.auditLogBatchMaxWait,
  ...(config.auditLogBatchThrottleEnable
    ? { throttle: { qps: config.auditLogBatchThrottleQps, burst: config.auditLogBatchThrottleBurst } }
    : {}),
});

async function webhookSink(
  config: AuditConfig,
  file: string,
  { clock, egress }: AuditDeps,
  onLost: OnLost,
): Promise<AuditSink> {
  const kubeconfig = await loadKubeconfig(file).catch((cause: Error) => {
    throw new OperatorError('FILE_UNREADABLE', `initializing audit webhook: ${cause.message}`, { cause });
  });
  const client = new Client({ ...kubeconfig, dial: egress?.dialerFor('controlplane') });
  const stopping = new AbortController();
  const send = eventListSender({
    client,
    clock,
    stopping: stopping.signal,
    initialBackoffMs: config.auditWebhookInitialBackoff,
    ...(config.auditWebhookTruncateEnabled ? { maxBatchBytes: config.auditWebhookTruncateMaxBatchSize } : {}),
  });
  const direct = sending(send, onLost);
  const sink =
    config.auditWebhookMode === 'batch'
      ? ignoreLosses(batched(webhookLimits(config), clock, send, onLost))
      : config.auditWebhookMode === 'blocking'
        ? ignoreLosses(direct)
        : direct;
  const close = () => {
    stopping.abort();
    return sink.close();
  };
  const stoppable: AuditSink = { write: (event) => sink.write(event), close };
  return config.auditWebhookTruncateEnabled
    ? truncating(stoppable, config.auditWebhookTruncateMaxEventSize, () => onLost(tooLarge))
    : stoppable;
}

function webhookLimits(config: AuditConfig): BatchLimits {
  return {
    bufferSize: config.auditWebhookBatchBufferSize,
    maxSize: config.auditWebhookBatchMaxSize,
    maxWaitMs: config.auditWebhookBatchMaxWait,
    ...(config.auditWebhookBatchThrottleEnable
      ? {
          throttle: {
            qps: config.auditWebhookBatchThrottleQps,
            burst: config.auditWebhookBatchThrottleBurst,
          },
        }
      : {}),
  };
}
