import { Worker } from 'node:worker_threads';
import type { LogConfig } from '../log-options.ts';
import { heartbeatMs, startHeartbeat } from './heartbeat.ts';
import type { WatchdogConfig } from './watchdog-options.ts';
import { type WatchdogData, watchdogProgram } from './watchdog-thread.ts';

/** The exit code of a process whose event loop is stuck: EX_SOFTWARE of sysexits.h. */
export const stuckExitCode = 70;

/** How long the stuck thread may take to report its stack, in milliseconds. */
export const stackTimeoutMs = 3_000;

/** How long the process may take to end after that, in milliseconds. Then it is killed, and has no exit code. */
export const endTimeoutMs = 3_000;

// The thread needs 2 MiB. It can receive a deep stack, which the debugger describes in up to 2 KiB a frame.
const resourceLimits = { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 128, stackSizeMb: 1 };

/**
 * Counts stalls of the event loop from now on, and ends the process with `stuckExitCode` when the loop is stuck for longer
 * than `maxLoopStall`. Call it when the process is ready. It keeps no process alive.
 */
export function watchEventLoop(config: WatchdogConfig & LogConfig): void {
  const beats = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  startHeartbeat(beats);
  if (config.maxLoopStall === 0) return;
  const workerData: WatchdogData = {
    beats,
    maxStallMs: config.maxLoopStall,
    // Ten looks at the loop before the end, and at least one heartbeat between two of them.
    tickMs: Math.max(2 * heartbeatMs, Math.ceil(config.maxLoopStall / 10)),
    logFormat: config.logLevel === 'off' ? 'off' : config.logFormat,
    exitCode: stuckExitCode,
    maxStackMs: stackTimeoutMs,
    maxEndMs: stackTimeoutMs + endTimeoutMs,
    // A suspended thread cannot be told from a stuck one elsewhere.
    threadStat: process.platform === 'linux' ? `/proc/self/task/${process.pid}/stat` : undefined,
  };
  const thread = new Worker(watchdogProgram(), {
    eval: true,
    name: 'watchdog',
    // Nothing that an operator sets for the process runs in this thread.
    env: {},
    execArgv: ['--no-warnings'],
    resourceLimits,
    workerData,
  });
  thread.unref();
}
