import type { FuzzTarget } from '@annex/testkit';
import type { CurrentInput } from './current-input.ts';
import type { Edges, Feature } from './edges.ts';
import { type Finding, findingKey } from './finding.ts';
import { type Effort, excessiveGrowth, type GrownInput, grown, randomGrowth } from './growth.ts';
import { minimized } from './minimize.ts';
import { mutated } from './mutation.ts';
import type { GoPeer } from './peer.ts';
import type { Random } from './random.ts';

/** Maximum CPU time of one input, in milliseconds. */
export const maxInputMs = 1_000;
/** Maximum growth of the memory of a target during a run, in bytes. */
const maxKeptBytes = 64 * 1024 * 1024;
/** Maximum number of findings with different keys that a run reports. */
const maxFindings = 20;
const batchSize = 256;
const minimizeMs = 5_000;
/** Milliseconds to shorten a kept input, and the minimum length of a removed part. */
const trimMs = 100;
const minTrimmedPart = 4;
/** Number of inputs with the most steps for each byte that are kept in addition to the corpus. */
const maxCostly = 8;
/** Stack frames of findings. Other errors have none, because collecting them takes longer than most inputs. */
const stackFrames = 10;

export interface FuzzerParts {
  target: FuzzTarget;
  edges: Edges;
  random: Random;
  current: CurrentInput;
  peer?: GoPeer | undefined;
  /** Returns the bytes in use after a garbage collection. */
  usedMemory(): number;
  report(finding: Finding): void;
}

interface Execution extends Effort {
  outcome?: string | undefined;
  error?: unknown;
  newFeatures: readonly Feature[];
}

/** Mutates the inputs of a corpus, and adds inputs that reach new branches or counts. */
export class Fuzzer {
  readonly corpus: Uint8Array[] = [];
  words: readonly Uint8Array[] = [];
  inputs = 0;
  readonly #parts: FuzzerParts;
  readonly #keys = new Set<string>();
  /** Inputs with the most steps for each byte. They are not in the corpus, because their mutations would be slow too. */
  readonly #costly: Uint8Array[] = [];
  #worstRatio = 0;
  #memory: { base: number; at: number } | undefined;

  constructor(parts: FuzzerParts) {
    this.#parts = parts;
  }

  /** Runs initial inputs, which are always kept. */
  async start(inputs: readonly Uint8Array[]): Promise<void> {
    for (const input of inputs) this.corpus.push(input);
    if (this.corpus.length === 0) this.corpus.push(new Uint8Array());
    await this.#runBatch(inputs, true);
  }

  /** Runs mutated inputs until `isOver` returns true. */
  async run(isOver: () => boolean): Promise<void> {
    const { random, target } = this.#parts;
    while (!isOver()) {
      const batch: Uint8Array[] = [];
      const material = {
        corpus: this.corpus,
        words: this.words,
        maxBytes: target.maxBytes ?? 2048,
        records: target.records,
      };
      while (batch.length < batchSize) batch.push(mutated(this.#base(32), random, material));
      await this.#runBatch(batch);
      // Lets rejections, messages and timers run.
      await new Promise((done) => setImmediate(done));
    }
    this.#checkMemory();
  }

  /** Searches for inputs whose time grows faster than linearly. */
  async checkGrowth(isOver: () => boolean): Promise<void> {
    const { random, target } = this.#parts;
    const maxBytes = target.maxGrownBytes ?? 65_536;
    while (!isOver()) {
      const growth = randomGrowth(this.#base(4), random);
      const measurements = await excessiveGrowth(growth, maxBytes, (input) => this.#measure(input));
      if (measurements === undefined) continue;
      this.#report({
        kind: 'growth',
        input: grown(growth, maxBytes),
        detail: `${measurements}\n${described(growth)}`,
      });
    }
  }

  /** Runs a large input. It may be nested so deeply that the stack overflows. Only CPU time of this process is measured. */
  async #measure(input: Uint8Array): Promise<Effort> {
    const before = process.threadCpuUsage();
    const execution = await this.#execute(input);
    const { user, system } = process.threadCpuUsage(before);
    if (execution.error !== undefined) await this.#reportError(input);
    return { steps: execution.steps, milliseconds: (user + system) / 1000 };
  }

  /** Returns one of the newer inputs as a rule, because they reach rare branches; sometimes a costly one. */
  #base(costlyOf: number): Uint8Array {
    const { random } = this.#parts;
    if (this.#costly.length > 0 && random.below(costlyOf) === 0) return random.of(this.#costly);
    const { length } = this.corpus;
    const from = random.below(3) === 0 ? 0 : length - Math.ceil(length / (1 << random.below(4)));
    return this.corpus[from + random.below(length - from)]!;
  }

  async #runBatch(batch: readonly Uint8Array[], areKept = false): Promise<void> {
    const outcomes: (string | undefined)[] = [];
    for (const input of batch) {
      const { outcome, newFeatures } = await this.#runOne(input);
      outcomes.push(outcome);
      if (newFeatures.length > 0 && !areKept) this.corpus.push(await this.#trimmed(input, newFeatures));
    }
    if (this.#parts.peer !== undefined) await this.#compare(this.#parts.peer, batch, outcomes);
    this.#memory ??= this.inputs > 10_000 ? { base: this.#usedMemory(), at: this.inputs } : undefined;
  }

  /** Runs an input, and reports its findings. */
  async #runOne(input: Uint8Array): Promise<Execution> {
    const execution = await this.#execute(input);
    this.#keepCostly(input, execution.steps);
    if (execution.error !== undefined) await this.#reportError(input);
    else if (execution.milliseconds > maxInputMs) await this.#reportSlow(input);
    return execution;
  }

  /** Returns a shorter input with the same features, which makes its mutations faster. */
  #trimmed(input: Uint8Array, features: readonly Feature[]): Promise<Uint8Array> {
    const hasAll = async (candidate: Uint8Array): Promise<boolean> => {
      const { newFeatures } = await this.#runOne(candidate);
      if (newFeatures.length > 0) this.corpus.push(candidate);
      return this.#parts.edges.has(features);
    };
    return minimized(input, hasAll, trimMs, minTrimmedPart);
  }

  async #execute(input: Uint8Array, frames = 0): Promise<Execution> {
    const { target, edges, current } = this.#parts;
    this.inputs++;
    Error.stackTraceLimit = frames;
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
    Error.stackTraceLimit = stackFrames;
    return { ...result, ...edges.merge(), milliseconds };
  }

  #keepCostly(input: Uint8Array, steps: number): void {
    const ratio = steps / (64 + input.length);
    if (ratio <= 1.1 * this.#worstRatio) return;
    this.#worstRatio = ratio;
    if (this.#costly.push(input) > maxCostly) this.#costly.shift();
  }

  async #reportError(input: Uint8Array): Promise<void> {
    const detailOf = async (candidate: Uint8Array): Promise<string | undefined> => {
      const { error } = await this.#execute(candidate, stackFrames);
      return error === undefined ? undefined : errorText(error);
    };
    const detail = await detailOf(input);
    // The input does not fail alone: an earlier input left state behind.
    const finding: Finding = { kind: 'error', input, detail: detail ?? 'an error that is not reproducible' };
    const key = findingKey(finding);
    if (this.#keys.has(key)) return;
    const isSame = async (candidate: Uint8Array): Promise<boolean> => {
      const other = await detailOf(candidate);
      return other !== undefined && findingKey({ ...finding, detail: other }) === key;
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
