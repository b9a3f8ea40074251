import { Worker } from 'node:worker_threads';
import { type DecodedYaml, decodeYaml, parseJson, YamlError } from '@annex/machinery';

/** What the thread says of a text: JSON, which is read again in no time, or why it is refused. */
export type YamlAnswer = { json: string; duplicates: string[] } | { error: string };

/** Characters that are read in a few milliseconds. */
const littleText = 32 * 1024;
/** A thread that has nothing to read is kept for so long. */
const idleMs = 10_000;

/**
 * Reads a YAML text as `decodeYaml` does. Large ones are read by a thread of their own, one after the other: a
 * megabyte takes most of a second. It is started for the first of them.
 */
export function readYaml(text: string): Promise<DecodedYaml> {
  // JSON under the name of YAML is read as fast as JSON.
  if (text.length < littleText || /^\s*\{/.test(text)) return decodeYaml(text);
  thread ??= new YamlThread();
  return thread.read(text);
}

let thread: YamlThread | undefined;

interface Reading {
  resolve(decoded: DecodedYaml): void;
  reject(error: Error): void;
}

class YamlThread {
  readonly #worker: Worker;
  readonly #readings: Reading[] = [];
  #idle: NodeJS.Timeout | undefined;

  constructor() {
    this.#worker = new Worker(new URL('./yaml-worker.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: 512 },
    });
    this.#worker.unref();
    this.#worker.on('message', (answer: YamlAnswer) => this.#settle(answer));
    this.#worker.on('error', (error) => this.#fail(error));
    this.#worker.on('exit', () => {
      this.#leave();
      this.#fail(new Error('the thread that reads YAML has ended'));
    });
  }

  read(text: string): Promise<DecodedYaml> {
    clearTimeout(this.#idle);
    const { promise, resolve, reject } = Promise.withResolvers<DecodedYaml>();
    this.#readings.push({ resolve, reject });
    this.#worker.postMessage(text);
    return promise;
  }

  #settle(answer: YamlAnswer): void {
    const reading = this.#readings.shift();
    if (this.#readings.length === 0) {
      this.#idle = setTimeout(() => this.#stop(), idleMs).unref();
    }
    if ('error' in answer) reading?.reject(new YamlError(answer.error));
    else reading?.resolve({ value: parseJson(answer.json), duplicates: answer.duplicates });
  }

  #stop(): void {
    // Ending takes a while: what comes meanwhile is read by the next thread.
    this.#leave();
    void this.#worker.terminate();
  }

  #leave(): void {
    if (thread === this) thread = undefined;
  }

  #fail(error: Error): void {
    for (const { reject } of this.#readings.splice(0)) reject(error);
  }
}
