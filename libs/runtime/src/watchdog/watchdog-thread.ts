import type * as ChildProcess from 'node:child_process';
import type * as Fs from 'node:fs';
import type * as Inspector from 'node:inspector';
import type * as Wasi from 'node:wasi';
import type * as Threads from 'node:worker_threads';

/** The start parameters of the thread. Durations are in milliseconds. */
export interface WatchdogData {
  /** The number of heartbeats of the watched loop. */
  beats: Int32Array;
  maxStallMs: number;
  tickMs: number;
  logFormat: 'text' | 'json' | 'off';
  exitCode: number;
  maxStackMs: number;
  maxFrames: number;
  maxEndMs: number;
  /** The status file of the watched thread. Undefined if the system has none. */
  threadStat: string | undefined;
  /** Only the stack of the main thread can be read. */
  isMainThread: boolean;
}

/**
 * Returns the program of the thread: the functions of this file. They import nothing, because a thread that
 * loads a TypeScript file also loads the compiler, which uses 25 MB.
 */
export const watchdogProgram = (): string =>
  [watchLoop, readThread, stuckTime, endProcess, killLater, readStack, logLine, exitNow]
    .map(String)
    .concat('watchLoop(require);')
    .join('\n');

/** Ends the process if the loop is stuck for too long, as measured by this thread. */
function watchLoop(require: NodeJS.Require): void {
  const data = (require('node:worker_threads') as typeof Threads).workerData as WatchdogData;
  let seenBeats = -1;
  let seen = readThread(require, data);
  let stuckMs = 0;
  const timer = setInterval(() => {
    const beats = Atomics.load(data.beats, 0);
    const current = readThread(require, data);
    stuckMs = beats === seenBeats ? stuckMs + stuckTime(seen, current, data.tickMs) : 0;
    seenBeats = beats;
    seen = current;
    if (stuckMs < data.maxStallMs) return;
    clearInterval(timer);
    void endProcess(require, data, stuckMs);
  }, data.tickMs);
}

/**
 * Reads the state of the watched thread and its processor time. If neither is available, the thread counts as
 * sleeping.
 */
function readThread(require: NodeJS.Require, data: WatchdogData): { state: string; cpuMs: number } {
  // Linux counts hundredths of a second here on every platform of Node.
  const cpuTickMs = 10;
  if (data.threadStat === undefined) return { state: 'S', cpuMs: 0 };
  const text = (require('node:fs') as typeof Fs).readFileSync(data.threadStat, 'latin1');
  // The name of the thread, in parentheses, may contain anything.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return { state: fields[0] ?? 'S', cpuMs: (Number(fields[11]) + Number(fields[12])) * cpuTickMs };
}

/**
 * Returns how much of a tick counts as stuck: the whole tick if the thread waits, otherwise its processor
 * time. Time in which the process was suspended, had no processor, or waited for a disk does not count.
 */
function stuckTime(before: { cpuMs: number }, now: { state: string; cpuMs: number }, tickMs: number): number {
  return now.state === 'S' ? tickMs : Math.min(now.cpuMs - before.cpuMs, tickMs);
}

async function endProcess(require: NodeJS.Require, data: WatchdogData, stuckMs: number): Promise<void> {
  killLater(require, data.maxEndMs);
  const stack = await readStack(require, data);
  try {
    const line = logLine(data, stuckMs, stack);
    if (data.logFormat !== 'off') (require('node:fs') as typeof Fs).writeSync(2, `${line}\n`);
  } catch {
    // The log is closed, but the process must end nevertheless.
  }
  exitNow(require, data.exitCode);
}

/** A child process kills a process that cannot exit because a native call does not return. */
function killLater(require: NodeJS.Require, delayMs: number): void {
  const { pid } = process;
  const script = `setTimeout(() => process.ppid === ${pid} && process.kill(${pid}, 'SIGKILL'), ${delayMs})`;
  try {
    const { spawn } = require('node:child_process') as typeof ChildProcess;
    const child = spawn(process.execPath, ['-e', script], { detached: true, stdio: 'ignore', env: {} });
    child.on('error', () => undefined).unref();
  } catch {
    // No further process is allowed: the exit must succeed.
  }
}

/**
 * Stops the watched thread with the debugger, which also interrupts regular expressions, and reads its stack.
 */
function readStack(
  require: NodeJS.Require,
  { isMainThread, maxStackMs, maxFrames }: WatchdogData,
): Promise<string> {
  if (!isMainThread) return Promise.resolve('unknown, the thread is not the main thread');
  const files = new Map<string, string>();
  const describe = ({ functionName, location }: Inspector.Debugger.CallFrame) => {
    const { scriptId, lineNumber, columnNumber = 0 } = location;
    const file = (files.get(scriptId) ?? '').replace(/^file:\/\//, '');
    return `at ${functionName || '<anonymous>'} (${file}:${lineNumber + 1}:${columnNumber + 1})`;
  };
  return new Promise((resolve) => {
    setTimeout(() => resolve('unknown, the thread is inside of a native call'), maxStackMs);
    try {
      const { Session } = require('node:inspector') as typeof Inspector;
      const session = new Session();
      session.connectToMainThread();
      session.on('Debugger.scriptParsed', ({ params }) => files.set(params.scriptId, params.url));
      session.on('Debugger.paused', ({ params }) =>
        resolve(params.callFrames.slice(0, maxFrames).map(describe).join('\n')),
      );
      session.post('Debugger.enable');
      session.post('Debugger.pause');
    } catch (error) {
      resolve(`unknown, ${String(error)}`);
    }
  });
}

/** Formats a line like the logger of the process, which runs in the stuck thread. */
function logLine(data: WatchdogData, stuckMs: number, stack: string): string {
  const time = new Date().toISOString();
  const msg = 'the event loop is stuck: ending the process';
  const { exitCode } = data;
  return data.logFormat === 'json'
    ? JSON.stringify({ level: 'error', time, stuckMs, exitCode, stack, msg })
    : `${time} E ${msg} stuckMs=${stuckMs} exitCode=${exitCode} stack=${JSON.stringify(stack)}`;
}

/**
 * Ends the process with the exit code. In a thread `process.exit` ends only that thread, and a signal has no
 * exit code; WASI's `proc_exit` calls exit(3), which ends all threads. It needs a memory, but no program.
 */
function exitNow(require: NodeJS.Require, exitCode: number): void {
  const { WASI } = require('node:wasi') as typeof Wasi;
  const wasi = new WASI({ version: 'preview1', returnOnExit: false });
  wasi.finalizeBindings({ exports: { memory: new WebAssembly.Memory({ initial: 1 }) } });
  (wasi.wasiImport as { proc_exit: (exitCode: number) => void }).proc_exit(exitCode);
}

// Missing in the types of Node.
declare const WebAssembly: { Memory: new (size: { initial: number }) => object };
