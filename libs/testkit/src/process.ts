import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** How a process is started. */
export interface ProcessOptions {
  args?: readonly string[];
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  /** The process is ready when a line of its output matches. */
  until?: RegExp;
  /** Milliseconds to wait for that line. Default: two minutes, because the machine may be busy. */
  within?: number;
  /** Called with every line. */
  onLine?: (line: string) => void;
}

/** A running process. It is killed when this process ends. */
export interface RunningProcess extends AsyncDisposable {
  readonly pid: number;
  /** The match of the `until` line. */
  readonly ready: RegExpMatchArray | undefined;
  /** All lines of its output so far, including standard error. */
  readonly lines: readonly string[];
  /**
   * Resolves to the first line that matches, including earlier lines. Rejects if the process ends without it.
   */
  waitFor(pattern: RegExp, within?: number): Promise<RegExpMatchArray>;
  /** Resolves with the exit code, or the signal that ended it. */
  readonly exited: Promise<number | NodeJS.Signals>;
  /** Sends the signal, kills the process after half a minute, and resolves when it has ended. */
  stop(signal?: NodeJS.Signals): Promise<number | NodeJS.Signals>;
  kill(signal: NodeJS.Signals): void;
}

/** Far more than any start takes on an idle machine. */
const defaultWithinMs = 120_000;

/** Far more than any end takes, also on a busy machine. */
const killAfterMs = 30_000;

const started: { command: string; lines: readonly string[] }[] = [];
const shown = { processes: 10, lines: 15, characters: 300 };

/** Returns the last output of the most recent processes, including ended ones, for diagnosis. */
export function lastPrinted(): string {
  const cut = (text: string) => text.slice(0, shown.characters);
  return started
    .slice(-shown.processes)
    .filter(({ lines }) => lines.length > 0)
    .map(({ command, lines }) => [`--- ${cut(command)}`, ...lines.slice(-shown.lines).map(cut)].join('\n'))
    .join('\n');
}

/** Starts a command and waits until it is ready. Rejects with its output if it does not become ready. */
export async function startProcess(command: string, options: ProcessOptions = {}): Promise<RunningProcess> {
  const child = spawn(command, options.args ?? [], {
    cwd: options.cwd,
    env: options.env ?? process.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = new Output(child, options.onLine);
  started.push({ command: [command, ...(options.args ?? [])].join(' '), lines: output.lines });
  const exited = exitOf(child);
  const killChild = () => void child.kill('SIGKILL');
  process.once('exit', killChild);
  exited.finally(() => process.off('exit', killChild)).catch(() => undefined);
  const running = (ready: RegExpMatchArray | undefined): RunningProcess => ({
    pid: child.pid ?? 0,
    ready,
    lines: output.lines,
    waitFor: (pattern, within) => output.waitFor(pattern, within ?? defaultWithinMs, exited),
    exited,
    stop: (signal = 'SIGTERM') => stop(child, exited, signal),
    kill: (signal) => void child.kill(signal),
    [Symbol.asyncDispose]: async () => void (await stop(child, exited, 'SIGTERM')),
  });
  if (options.until === undefined) return running(undefined);
  try {
    return running(await output.waitFor(options.until, options.within ?? defaultWithinMs, exited));
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
}

function exitOf(child: ChildProcess): Promise<number | NodeJS.Signals> {
  const { promise, resolve, reject } = Promise.withResolvers<number | NodeJS.Signals>();
  child.once('error', reject);
  child.once('close', (code, signal) => resolve(code ?? signal ?? 'SIGKILL'));
  promise.catch(() => undefined);
  return promise;
}

async function stop(
  child: ChildProcess,
  exited: Promise<number | NodeJS.Signals>,
  signal: NodeJS.Signals,
): Promise<number | NodeJS.Signals> {
  child.kill(signal);
  const timer = setTimeout(() => child.kill('SIGKILL'), killAfterMs);
  try {
    return await exited;
  } finally {
    clearTimeout(timer);
  }
}

class Output {
  readonly lines: string[] = [];
  private readonly waiting = new Set<(line: string) => void>();

  constructor(child: ChildProcess, onLine: (line: string) => void = () => undefined) {
    for (const stream of [child.stdout, child.stderr]) {
      if (stream === null) continue;
      createInterface({ input: stream }).on('line', (line) => {
        this.lines.push(line);
        onLine(line);
        for (const check of this.waiting) check(line);
      });
    }
  }

  waitFor(pattern: RegExp, within: number, exited: Promise<unknown>): Promise<RegExpMatchArray> {
    const { promise, resolve, reject } = Promise.withResolvers<RegExpMatchArray>();
    const check = (line: string) => {
      const found = pattern.exec(line);
      if (found !== null) resolve(found);
    };
    const fail = (why: string) =>
      reject(
        new Error(`${why} before a line matched ${String(pattern)}; it printed:\n${this.lines.join('\n')}`),
      );
    const timer = setTimeout(() => fail(`the process took more than ${within} ms`), within);
    exited.then(
      (code) => fail(`the process ended with ${String(code)}`),
      (error: unknown) => fail(String(error)),
    );
    this.waiting.add(check);
    this.lines.forEach(check);
    return promise.finally(() => {
      clearTimeout(timer);
      this.waiting.delete(check);
    });
  }
}
