import type * as ChildProcess from 'node:child_process';
import type * as Fs from 'node:fs';
import type * as Inspector from 'node:inspector';
import type * as Wasi from 'node:wasi';
import type * as Threads from 'node:worker_threads';

/** What the thread is started with. Durations are in milliseconds. */
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
  /** The file that describes the watched thread. Undefined where the system has none. */
  threadStat: string | undefined;
}

/**
 * The text of the program that the thread runs: the functions of this file. They import nothing, since a thread that loads a
 * file of TypeScript loads the compiler too, which takes 25 MB.
 */
export const watchdogProgram = (): string =>
  [watchLoop, readThread, stuckTime, endProcess, killLater, readStack, logLine, exitNow]
    .map(String)
    .concat('watchLoop(require);')
    .join('\n');

/** Ends the process when the loop was stuck for too long, by what this thread saw of it. */
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

/** The state of the watched thread and the processor time that it used. Where neither is known, it seems to sleep. */
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
 * How much of a tick counts: all of it where the thread waits for something, and the time for which it ran elsewhere. Time
 * in which the process was suspended, had no processor, or waited for a disk is none of it.
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
    // Nobody reads the log, and the process has to end all the same.
  }
  exitNow(require, data.exitCode);
}

/** A process that does not end by itself, since a native call never returns, is killed by a child. */
function killLater(require: NodeJS.Require, delayMs: number): void {
  const { pid } = process;
  const script = `setTimeout(() => process.ppid === ${pid} && process.kill(${pid}, 'SIGKILL'), ${delayMs})`;
  try {
    const { spawn } = require('node:child_process') as typeof ChildProcess;
    const child = spawn(process.execPath, ['-e', script], { detached: true, stdio: 'ignore', env: {} });
    child.on('error', () => undefined).unref();
  } catch {
    // No further process is allowed: the exit has to succeed.
  }
}

/** Stops the watched thread with the debugger, which reaches JavaScript and regular expressions, and reads its stack. */
function readStack(require: NodeJS.Require, { maxStackMs, maxFrames }: WatchdogData): Promise<string> {
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

/** A line as the logger of the process writes it, which lives in the stuck thread. */
function logLine(data: WatchdogData, stuckMs: number, stack: string): string {
  const time = new Date().toISOString();
  const msg = 'the event loop is stuck: ending the process';
  const { exitCode } = data;
  return data.logFormat === 'json'
    ? JSON.stringify({ level: 'error', time, stuckMs, exitCode, stack, msg })
    : `${time} E ${msg} stuckMs=${stuckMs} exitCode=${exitCode} stack=${JSON.stringify(stack)}`;
}

/**
 * Ends the process with the exit code. In a thread `process.exit` ends that thread alone, and a signal has no exit code;
 * WASI's `proc_exit` calls exit(3), which ends all threads. It needs a memory, and no program.
 */
function exitNow(require: NodeJS.Require, exitCode: number): void {
  const { WASI } = require('node:wasi') as typeof Wasi;
  const wasi = new WASI({ version: 'preview1', returnOnExit: false });
  wasi.finalizeBindings({ exports: { memory: new WebAssembly.Memory({ initial: 1 }) } });
  (wasi.wasiImport as { proc_exit: (exitCode: number) => void }).proc_exit(exitCode);
}

// The types of Node leave it out.
declare const WebAssembly: { Memory: new (size: { initial: number }) => object };
