import { readlinkSync } from 'node:fs';
import { isMainThread, Worker } from 'node:worker_threads';
import { createLogger, type LogLevel } from '../log.ts';
import type { LogConfig } from '../log-options.ts';
import { heartbeatMs, startHeartbeat } from './heartbeat.ts';
import type { WatchdogConfig } from './watchdog-options.ts';
import { type WatchdogData, watchdogProgram } from './watchdog-thread.ts';

/** The exit code of a process whose event loop is stuck: EX_SOFTWARE of sysexits.h. */
export const stuckExitCode = 70;

/** How many frames of the stack are logged, the innermost ones. */
export const maxFrames = 50;

/** Bounds of the interval of checks, in milliseconds: at least one heartbeat is due between two of them. */
const tickRange = { min: 2 * heartbeatMs, max: 1_000 };

/** Milliseconds for the stuck thread to report its stack. */
export const stackTimeoutMs = 3_000;

/** Milliseconds for the process to end after that. Then it is killed, and has no exit code. */
export const endTimeoutMs = 3_000;

// The thread needs 2 MiB. It may receive a deep stack, which the debugger describes in up to 2 KiB per frame.
const resourceLimits = { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 128, stackSizeMb: 1 };

/**
 * Counts stalls of the event loop of this thread from now on, and ends the process with `stuckExitCode` if the loop is stuck
 * for longer than `maxLoopStall`. Call it when the process is ready. It keeps no process alive.
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
    // On other systems a suspended thread looks like a stuck one.
    threadStat: process.platform === 'linux' ? `/proc/${ownTask()}/stat` : undefined,
    isMainThread,
  };
  const thread = new Worker(watchdogProgram(), {
    eval: true,
    name: 'watchdog',
    // No environment variable of the operator applies to this thread.
    env: {},
    execArgv: ['--no-warnings'],
    resourceLimits,
    workerData,
  });
  thread.unref();
  thread.on('error', (error) => {
    const log = createLogger({ level: config.logLevel as LogLevel | 'off', format: config.logFormat });
    log.error('the watchdog failed: a stuck event loop no longer ends the process', {
      error: String(error),
    });
  });
}

/** Returns the folder of this thread below `/proc`: the watchdog is another thread. */
const ownTask = (): string => readlinkSync('/proc/thread-self');
