import type { FuzzTarget } from '@annex/testkit';
import type { CurrentInput } from './current-input.ts';
import type { Edges } from './edges.ts';
import { type Finding, findingKey } from './finding.ts';
import { type Effort, excessiveGrowth, type GrownInput, grown, randomGrowth } from './growth.ts';
import { minimized } from './minimize.ts';
import { mutated } from './mutation.ts';
import type { GoPeer } from './peer.ts';
import type { Random } from './random.ts';

/** Processor time that one input is allowed to take, in milliseconds. */
export const maxInputMs = 1_000;
/** Memory that a target is allowed to keep over a run, in bytes. */
const maxKeptBytes = 64 * 1024 * 1024;
/** Findings with different keys that a run reports. */
const maxFindings = 20;
const batchSize = 256;
const minimizeMs = 5_000;

export interface FuzzerParts {
  target: FuzzTarget;
  edges: Edges;
  random: Random;
  current: CurrentInput;
  peer?: GoPeer | undefined;
  /** Bytes in use after a garbage collection. */
  usedMemory(): number;
  report(finding: Finding): void;
}

interface Execution extends Effort {
  outcome?: string | undefined;
  error?: unknown;
}

/** Mutates the inputs of a corpus, and adds those to it that reach code or counts that no other did. */
export class Fuzzer {
  readonly corpus: Uint8Array[] = [];
  words: readonly Uint8Array[] = [];
  inputs = 0;
  readonly #parts: FuzzerParts;
  readonly #keys = new Set<string>();
  /** Most steps for each byte that an input took. */
  #worstRatio = 0;
  #memory: { base: number; at: number } | undefined;

  constructor(parts: FuzzerParts) {
    this.#parts = parts;
  }

  /** Runs inputs that are kept whatever they reach. */
  async start(inputs: readonly Uint8Array[]): Promise<void> {
    for (const input of inputs) this.corpus.push(input);
    if (this.corpus.length === 0) this.corpus.push(new Uint8Array());
    await this.#runBatch(inputs);
  }

  /** Runs mutated inputs until `isOver` says so. */
  async run(isOver: () => boolean): Promise<void> {
    const { random, target } = this.#parts;
    while (!isOver()) {
      const batch: Uint8Array[] = [];
      const material = { corpus: this.corpus, words: this.words, maxBytes: target.maxBytes ?? 2048 };
      while (batch.length < batchSize) batch.push(mutated(this.#base(), random, material));
      await this.#runBatch(batch);
      // Lets rejections, messages and timers through.
      await new Promise((done) => setImmediate(done));
    }
    this.#checkMemory();
  }

  /** Looks for inputs whose handling grows faster than they do. */
  async checkGrowth(isOver: () => boolean): Promise<void> {
    const { random, target } = this.#parts;
    const maxBytes = target.maxGrownBytes ?? 65_536;
    while (!isOver()) {
      const growth = randomGrowth(this.#base(), random);
      const measurements = await excessiveGrowth(growth, maxBytes, (input) => this.#measure(input));
      if (measurements === undefined) continue;
      this.#report({
        kind: 'growth',
        input: grown(growth, maxBytes),
        detail: `${measurements}\n${described(growth)}`,
      });
    }
  }

  /** A large input is one like others: it may nest deeply enough to overflow the stack. Other processes do not count. */
  async #measure(input: Uint8Array): Promise<Effort> {
    const before = process.threadCpuUsage();
    const execution = await this.#execute(input);
    const { user, system } = process.threadCpuUsage(before);
    if (execution.error !== undefined) await this.#reportError(input, execution.error);
    return { steps: execution.steps, milliseconds: (user + system) / 1000 };
  }

  /** Mostly one of the newer inputs, for they reach what is rare. */
  #base(): Uint8Array {
    const { random } = this.#parts;
    const { length } = this.corpus;
    const from = random.below(3) === 0 ? 0 : length - Math.ceil(length / (1 << random.below(4)));
    return this.corpus[from + random.below(length - from)]!;
  }

  async #runBatch(batch: readonly Uint8Array[]): Promise<void> {
    const outcomes: (string | undefined)[] = [];
    for (const input of batch) {
      const execution = await this.#execute(input);
      this.#keep(input, execution.steps);
      outcomes.push(execution.outcome);
      if (execution.error !== undefined) await this.#reportError(input, execution.error);
      else if (execution.milliseconds > maxInputMs) await this.#reportSlow(input);
    }
    if (this.#parts.peer !== undefined) await this.#compare(this.#parts.peer, batch, outcomes);
    this.#memory ??= this.inputs > 10_000 ? { base: this.#usedMemory(), at: this.inputs } : undefined;
  }

  #isNew = false;

  async #execute(input: Uint8Array): Promise<Execution> {
    const { target, edges, current } = this.#parts;
    this.inputs++;
    edges.clear();
    current.begin(input);
    const start = performance.now();
    const result: Partial<Execution> = {};
    try {
      const returned = target.run(input);
      result.outcome = (returned instanceof Promise ? await returned : returned) ?? undefined;
    } catch (error) {
      result.error = error ?? new Error(`${error} was thrown`);
    }
    const milliseconds = performance.now() - start;
    current.end();
    const { steps, isNew } = edges.merge();
    this.#isNew = isNew;
    return { ...result, steps, milliseconds };
  }

  #keep(input: Uint8Array, steps: number): void {
    const ratio = steps / (64 + input.length);
    const isWorst = ratio > 1.1 * this.#worstRatio;
    if (isWorst) this.#worstRatio = ratio;
    if (this.#isNew || isWorst) this.corpus.push(input);
  }

  async #reportError(input: Uint8Array, error: unknown): Promise<void> {
    const finding: Finding = { kind: 'error', input, detail: errorText(error) };
    const key = findingKey(finding);
    if (this.#keys.has(key)) return;
    const isSame = async (candidate: Uint8Array): Promise<boolean> => {
      const { error: other } = await this.#execute(candidate);
      return other !== undefined && findingKey({ ...finding, detail: errorText(other) }) === key;
    };
    this.#report({ ...finding, input: await minimized(input, isSame, minimizeMs) });
  }

  async #reportSlow(input: Uint8Array): Promise<void> {
    const isSlow = async (candidate: Uint8Array): Promise<boolean> =>
      (await this.#processorMs(candidate)) > maxInputMs;
    if (this.#keys.has('slow') || !(await isSlow(input))) return;
    const shortest = await minimized(input, isSlow, 4 * minimizeMs);
    this.#report({ kind: 'slow', input: shortest, detail: `${await this.#processorMs(shortest)} ms` });
  }

  async #processorMs(input: Uint8Array): Promise<number> {
    const before = process.threadCpuUsage();
    await this.#execute(input);
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1000;
  }

  async #compare(
    peer: GoPeer,
    batch: readonly Uint8Array[],
    outcomes: readonly (string | undefined)[],
  ): Promise<void> {
    const compared = batch.map((input, i) => ({ input, outcome: outcomes[i] })).filter(({ outcome }) => outcome !== undefined); // prettier-ignore
    if (compared.length === 0) return;
    const expected = await peer.outcomes(compared.map(({ input }) => input));
    if (expected.length === 0) return;
    for (const [i, { input, outcome }] of compared.entries()) {
      const finding = this.#difference(input, outcome!, expected[i]!);
      if (finding === undefined || this.#keys.has(findingKey(finding))) continue;
      const shortest = await minimized(input, async (candidate) => (await this.#differenceOf(peer, candidate)) !== undefined, minimizeMs); // prettier-ignore
      this.#report((await this.#differenceOf(peer, shortest)) ?? finding, findingKey(finding));
    }
  }

  async #differenceOf(peer: GoPeer, input: Uint8Array): Promise<Finding | undefined> {
    const { outcome } = await this.#execute(input);
    if (outcome === undefined) return undefined;
    const [expected] = await peer.outcomes([input]);
    return expected === undefined ? undefined : this.#difference(input, outcome, expected);
  }

  #difference(input: Uint8Array, outcome: string, expected: string): Finding | undefined {
    if (outcome === expected || this.#parts.target.deviates?.(outcome, expected, input)) return undefined;
    return { kind: 'difference', input, detail: `ours: ${outcome}\nGo:   ${expected}`, expected };
  }

  #report(finding: Finding, alias?: string): void {
    const key = findingKey(finding);
    if (alias !== undefined) this.#keys.add(alias);
    if (this.#keys.has(key) || this.#keys.size >= 4 * maxFindings) return;
    this.#keys.add(key);
    this.#parts.report(finding);
  }

  #usedMemory(): number {
    return this.#parts.usedMemory() - this.corpus.reduce((sum, { length }) => sum + length + 128, 0);
  }

  #checkMemory(): void {
    if (this.#memory === undefined) return;
    const kept = this.#usedMemory() - this.#memory.base;
    if (kept < maxKeptBytes) return;
    const detail = `${kept} bytes over ${this.inputs - this.#memory.at} inputs`;
    this.#report({ kind: 'memory', input: new Uint8Array(), detail });
  }
}

const errorText = (error: unknown): string => (error instanceof Error ? (error.stack ?? error.message) : String(error)); // prettier-ignore

const described = ({ prefix, unit, suffix }: GrownInput): string =>
  [prefix, unit, suffix].map((bytes) => JSON.stringify(Buffer.from(bytes).toString('latin1'))).join(' + ');
