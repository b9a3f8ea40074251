import type { AuditThreads } from '@annex/audit';
import type { Authenticator } from '@annex/auth';
import { type Logger, type Metrics, threadLog } from '@annex/runtime';
import type { ServerDeps } from '@annex/server';
import type { ServerConfig } from '../options.ts';
import type { ServingGroup } from '../secure-server.ts';
import { caughtUp } from './caught-up.ts';
import { withDividedLimits } from './divided-limits.ts';
import { groupMetrics } from './group-metrics.ts';
import { groupTraces } from './group-traces.ts';
import type { ThreadGroup } from './thread-group.ts';

/** What a program does differently in one of several threads. A program alone loads none of this. */
export interface ThreadMember {
  readonly isMain: boolean;
  /** Returns a configuration with the share of this thread in the limits. */
  limits<C extends ServerConfig>(config: C): C;
  /** Creates the log of a thread that is not the main one. */
  log(config: ServerConfig): Logger;
  /** Returns metrics that render as those of the process. */
  metrics(own: Metrics): Metrics;
  readonly audit: AuditThreads;
  authenticator(own: Authenticator, deps: Pick<ServerDeps, 'feed' | 'store'>): Authenticator;
  server(): ServingGroup;
  /** Calls `drain` when the main thread begins to stop. */
  onDrain(drain: () => void): void;
  /** Begins to stop the other threads. */
  drainOthers(): Promise<unknown>;
  /** Starts the other threads. They are ready to listen on the port of the main thread. */
  start?(port: number): Promise<void>;
  /** Lets the other threads listen. */
  open?(): Promise<void>;
  /** Resolves when a further thread may listen: the main thread serves. */
  mayListen?(): Promise<void>;
  stop?(): Promise<void>;
  readonly ended?: Promise<Error>;
}

/** Makes a program a member of a group of threads. */
export const threadMember = (group: ThreadGroup): ThreadMember => ({
  isMain: group.index === 0,
  limits: (config) => withDividedLimits(config, group),
  log: (config) => threadLog(config, group.index),
  metrics: (own) => groupMetrics(own, group),
  audit: auditThreads(group),
  authenticator: caughtUp,
  server: () => ({ index: group.index, ticketKeys: group.ticketKeys, traces: groupTraces(group) }),
  onDrain: (drain) => group.handle('drain', drain),
  drainOthers: () => group.callOthers('drain'),
  ...(group.start ? { start: (port: number) => group.start!(port) } : {}),
  ...(group.open ? { open: () => group.open!() } : {}),
  ...(group.stop ? { stop: () => group.stop!() } : {}),
  ...(group.ended ? { ended: group.ended } : {}),
});

/** The main thread writes the audit log of all threads: lines stay whole, and one thread rotates the file. */
const auditThreads = (group: ThreadGroup): AuditThreads =>
  group.index === 0
    ? { serve: (write) => group.handle('auditLine', write) }
    : { write: (line) => group.callMain<void>('auditLine', line) };
