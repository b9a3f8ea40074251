import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { join } from 'node:path';
import { root } from './targets.ts';

/** Maximum milliseconds of a batch: some Go parsers take very long for some inputs, and such a batch is not compared. */
const maxBatchMs = 10_000;
const binary = join(root, '.cache', 'fuzz', 'go-peer');

/** Compiles the program of `fuzz/go`. Returns false if Go is not installed. */
export function buildGoPeer(): boolean {
  mkdirSync(join(root, '.cache', 'fuzz'), { recursive: true });
  const { error, status, stderr } = spawnSync('go', ['build', '-o', binary, '.'], {
    cwd: join(root, 'fuzz', 'go'),
    encoding: 'utf8',
  });
  if (error !== undefined) return false;
  if (status !== 0) throw new Error(`go build: ${stderr}`);
  return true;
}

/**
 * A running Go function that returns the outcome of each input. Inputs and outcomes are frames: a big-endian 32-bit length, and then the
 * bytes.
 */
export class GoPeer {
  readonly #name: string;
  #process: ChildProcessByStdio<Writable, Readable, null>;
  #received: Buffer = Buffer.alloc(0);
  #waiting: { missing: number; outcomes: string[]; done: (outcomes: string[]) => void } | undefined;
  #failed: ((error: Error) => void) | undefined;

  constructor(name: string) {
    this.#name = name;
    this.#process = this.#start();
  }

  /** Resolves to the outcomes of inputs, in order; to none if Go takes too long for one of them. */
  outcomes(inputs: readonly Uint8Array[]): Promise<string[]> {
    return new Promise((resolve, failed) => {
      const timer = setTimeout(() => {
        this.close();
        this.#process = this.#start();
        this.#waiting = undefined;
        this.#received = Buffer.alloc(0);
        resolve([]);
      }, maxBatchMs);
      const done = (outcomes: string[]): void => {
        clearTimeout(timer);
        resolve(outcomes);
      };
      this.#waiting = { missing: inputs.length, outcomes: [], done };
      this.#failed = failed;
      const frames = inputs.flatMap((input) => {
        const length = Buffer.alloc(4);
        length.writeUInt32BE(input.length);
        return [length, input];
      });
      this.#process.stdin.write(Buffer.concat(frames));
    });
  }

  close(): void {
    this.#process.removeAllListeners('exit').stdout.removeAllListeners('data');
    this.#process.kill('SIGKILL');
  }

  #start(): ChildProcessByStdio<Writable, Readable, null> {
    const started = spawn(binary, [this.#name], { stdio: ['pipe', 'pipe', 'inherit'] });
    started.stdout.on('data', (bytes: Buffer) => this.#receive(bytes));
    started.on('exit', (code) => this.#failed?.(new Error(`the Go program ended with ${code}`)));
    started.stdin.on('error', () => {});
    return started;
  }

  #receive(bytes: Buffer): void {
    this.#received = this.#received.length === 0 ? bytes : Buffer.concat([this.#received, bytes]);
    let at = 0;
    while (this.#waiting !== undefined && this.#received.length >= at + 4) {
      const end = at + 4 + this.#received.readUInt32BE(at);
      if (this.#received.length < end) break;
      const waiting = this.#waiting;
      waiting.outcomes.push(this.#received.toString('utf8', at + 4, end));
      at = end;
      if (--waiting.missing > 0) continue;
      this.#waiting = undefined;
      waiting.done(waiting.outcomes);
    }
    this.#received = this.#received.subarray(at);
  }
}
