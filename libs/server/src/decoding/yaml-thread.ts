import { Worker } from 'node:worker_threads';
import { type DecodedYaml, decodeJsonAsYaml, decodeYaml, finishInSlices, YamlError } from '@annex/machinery';
import { parseInSlices, pause } from '../large-objects.ts';
import { exceedsLimits, requireTextLimitsInPasses } from './body-limits.ts';

/** The result of the thread: JSON, which is quick to parse again, or an error. */
export type YamlResponse = { json: string; duplicates: string[] } | { error: string };

/** Characters that are read in the main thread, which takes a few milliseconds. Anchors can make a text longer. */
const mainThreadLength = 32 * 1024;
/** Milliseconds after which an idle thread ends. */
const idleMs = 10_000;

/** The maximum milliseconds for one YAML text: 3 MiB of the most expensive YAML take about 5 s. */
export const yamlTimeoutMs = 20_000;

/** The maximum megabytes of memory of the thread: 3 MiB of the most expensive YAML take about 700. */
export const maxYamlThreadMegabytes = 1024;

/**
 * Reads a YAML text as `decodeYaml` does. A separate thread reads large texts in order, because a megabyte
 * takes most of a second. A text that exceeds the limits of time or memory is refused and ends the thread; a
 * new thread reads the texts behind it. Rejects with 413 for a value that is too large.
 */
export async function readYaml(text: string): Promise<DecodedYaml> {
  if (text.length < mainThreadLength && !text.includes('&')) return await decodeYaml(text);
  // A text that only looks like JSON need not be as large as it seems: the thread reads it.
  if (/^\s*\{/.test(text) && !(await finishInSlices(exceedsLimits(text), pause))) {
    await pause();
    const json = await finishInSlices(decodeJsonAsYaml(text), pause);
    if (json !== undefined) return json;
  }
  return await (thread ??= new YamlThread()).read(text);
}

async function parsed(json: string, duplicates: string[]): Promise<DecodedYaml> {
  await finishInSlices(requireTextLimitsInPasses(json), pause);
  return { value: await parseInSlices(json), duplicates };
}

let thread: YamlThread | undefined;

interface Reading {
  text: string;
  resolve(decoded: DecodedYaml | Promise<DecodedYaml>): void;
  reject(error: Error): void;
}

class YamlThread {
  readonly #worker: Worker;
  readonly #readings: Reading[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor() {
    this.#worker = new Worker(new URL('./yaml-worker.ts', import.meta.url), {
      // Options of the process, such as --input-type, may make a thread fail.
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: maxYamlThreadMegabytes },
    });
    this.#worker.unref();
    this.#worker.on('message', (response: YamlResponse) => this.#settle(response));
    this.#worker.on('error', (error) => this.#fail(error.message));
    this.#worker.on('exit', () => this.#fail('the thread that reads YAML has ended'));
  }

  read(text: string): Promise<DecodedYaml> {
    const { promise, resolve, reject } = Promise.withResolvers<DecodedYaml>();
    this.#readings.push({ text, resolve, reject });
    this.#worker.postMessage(text);
    if (this.#readings.length === 1) this.#limitTime();
    return promise;
  }

  #settle(response: YamlResponse): void {
    const reading = this.#readings.shift();
    this.#limitTime();
    if ('error' in response) reading?.reject(new YamlError(response.error));
    else reading?.resolve(parsed(response.json, response.duplicates));
  }

  /** Ends the thread when it is idle, or when the first text takes too long. */
  #limitTime(): void {
    clearTimeout(this.#timer);
    const isIdle = this.#readings.length === 0;
    const late = () => this.#fail(`reading it takes more than ${yamlTimeoutMs} milliseconds`);
    this.#timer = setTimeout(late, isIdle ? idleMs : yamlTimeoutMs).unref();
  }

  /** Refuses the first text, and passes the others to a new thread. */
  #fail(why: string): void {
    clearTimeout(this.#timer);
    // Termination is asynchronous: texts that arrive before it completes are read by the next thread.
    if (thread === this) thread = undefined;
    void this.#worker.terminate();
    const [first, ...others] = this.#readings.splice(0);
    first?.reject(new YamlError(`yaml: ${why}`));
    for (const { text, resolve } of others) resolve(readYaml(text));
  }
}
