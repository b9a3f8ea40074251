import { Worker } from 'node:worker_threads';
import { createLogger, type LogLevel } from '../log.ts';
import type { LogConfig } from '../log-options.ts';
import { heartbeatMs, startHeartbeat } from './heartbeat.ts';
import type { WatchdogConfig } from './watchdog-options.ts';
import { type WatchdogData, watchdogProgram } from './watchdog-thread.ts';

/** The exit code of a process whose event loop is stuck: EX_SOFTWARE of sysexits.h. */
export const stuckExitCode = 70;

/** How many frames of the stack are logged, the innermost ones. */
export const maxFrames = 50;

/** Bounds of the time between two looks at the loop, in milliseconds: at least one heartbeat is due between them. */
const tickRange = { min: 2 * heartbeatMs, max: 1_000 };

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
    tickMs: Math.min(tickRange.max, Math.max(tickRange.min, Math.ceil(config.maxLoopStall / 10))),
    logFormat: config.logLevel === 'off' ? 'off' : config.logFormat,
    exitCode: stuckExitCode,
    maxStackMs: stackTimeoutMs,
    maxFrames,
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
  thread.on('error', (error) => {
    const log = createLogger({ level: config.logLevel as LogLevel | 'off', format: config.logFormat });
    log.error('the watchdog failed: nothing ends the process when its event loop is stuck', {
      error: String(error),
    });
  });
}
