import { mkdirSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { caseFolder } from './cases.ts';
import { CurrentInput } from './current-input.ts';
import type { Finding } from './finding.ts';
import type { FuzzProgress, FuzzThreadData, FuzzThreadMessage } from './fuzz-thread.ts';
import { maxInputMs } from './fuzzer.ts';
import { minimized } from './minimize.ts';
import { runSingle } from './single-run.ts';
import { root } from './targets.ts';

/** Milliseconds of wall-clock time after which an input counts as a stall, because other processes may use the processor. */
const stallMs = 15_000;
/** Milliseconds for the second run of such an input, which confirms the stall. */
const stallCheckMs = 20_000;
const minimizeStallMs = 60_000;
const maxRestarts = 3;
/** Heap of the thread of a target, in MB; more is a finding. */
const maxHeapMb = 2_048;

export interface CampaignOptions {
  file: string;
  name: string;
  seconds: number;
  maxInputs: number;
  seed: number;
  useGo: boolean;
}

/** The result of fuzzing a target. */
export interface CampaignResult extends FuzzProgress {
  name: string;
  seconds: number;
  usesGo: boolean;
  findings: readonly Finding[];
}

/** Fuzzes one target in a separate thread, and restarts the thread after an input that ends or blocks it. */
export async function runCampaign(
  options: CampaignOptions,
  onFinding: (finding: Finding) => void,
): Promise<CampaignResult> {
  const findings: Finding[] = [];
  const result = {
    name: options.name,
    seconds: 0,
    inputs: 0,
    reached: 0,
    corpus: 0,
    usesGo: false,
    findings,
  };
  for (let round = 0; round <= maxRestarts; round++) {
    const seconds = options.seconds - result.seconds;
    const maxInputs = options.maxInputs - result.inputs;
    if (seconds <= 0 || maxInputs <= 0) break;
    const run = new ThreadRun({ ...options, seconds, maxInputs, seed: options.seed + round }, (finding) => {
      findings.push(finding);
      onFinding(finding);
    });
    const outcome = await run.finished();
    result.inputs += outcome.inputs;
    result.seconds += outcome.seconds;
    result.usesGo = outcome.usesGo;
    result.reached = Math.max(result.reached, outcome.reached);
    result.corpus = outcome.corpus;
    if (!outcome.isInterrupted) break;
  }
  return result;
}

interface RunOutcome extends FuzzProgress {
  seconds: number;
  usesGo: boolean;
  /** True if an input blocked or ended the thread. */
  isInterrupted: boolean;
}

/** A thread that fuzzes, with its monitoring. */
class ThreadRun {
  readonly #options: CampaignOptions;
  readonly #report: (finding: Finding) => void;
  readonly #current = new CurrentInput();
  readonly #worker: Worker;
  readonly #start = performance.now();
  #progress: FuzzProgress = { inputs: 0, reached: 0, corpus: 0 };

  constructor(options: CampaignOptions, report: (finding: Finding) => void) {
    this.#options = options;
    this.#report = report;
    const { file, name, seed, seconds, maxInputs, useGo } = options;
    const workerData: FuzzThreadData = {
      file,
      name,
      seed,
      fuzzMs: seconds * 1000,
      growthMs: Math.min(20_000, seconds * 200),
      maxInputs,
      useGo,
      inputFolders: [caseFolder(name), corpusFolder(name)].filter((folder) => existsSync(folder)),
      memory: this.#current.memory,
    };
    this.#worker = new Worker(new URL('./fuzz-thread.ts', import.meta.url), {
      workerData,
      resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
    });
  }

  finished(): Promise<RunOutcome> {
    return new Promise((done) => {
      let isOver = false;
      const finish = async (finding?: Finding): Promise<void> => {
        if (isOver) return;
        isOver = true;
        clearInterval(watchdog);
        const seconds = (performance.now() - this.#start) / 1000;
        await this.#worker.terminate();
        if (finding?.kind === 'stall') await this.#reportStall(finding.input);
        else if (finding !== undefined) this.#report(finding);
        done({ ...this.#progress, seconds, usesGo: false, isInterrupted: true });
      };
      const watchdog = this.#watch((input) => void finish({ kind: 'stall', input, detail: '' }));
      this.#worker.on('error', (error) => {
        const input = this.#current.input;
        void finish({ kind: 'crash', input, detail: error.stack ?? String(error) });
      });
      this.#worker.on('message', (message: FuzzThreadMessage) => {
        if (message.kind === 'finding') return this.#report(message.finding);
        this.#progress = message;
        if (message.kind === 'progress') return;
        isOver = true;
        clearInterval(watchdog);
        keepCorpus(this.#options.name, message.newInputs);
        done({
          ...this.#progress,
          seconds: message.fuzzMs / 1000,
          usesGo: message.usesGo,
          isInterrupted: false,
        });
      });
    });
  }

  /** Calls back if the thread handles the same input for too long. */
  #watch(onStall: (input: Uint8Array) => void): NodeJS.Timeout {
    let last: number | undefined;
    let since = performance.now();
    return setInterval(() => {
      const { sequence } = this.#current;
      const now = performance.now();
      if (sequence === undefined || sequence !== last) since = now;
      last = sequence;
      if (now - since > stallMs) onStall(this.#current.input);
    }, 500);
  }

  async #reportStall(input: Uint8Array): Promise<void> {
    const { file, name } = this.#options;
    const took = async (candidate: Uint8Array): Promise<number> =>
      (await runSingle(file, name, candidate, stallCheckMs))?.processorMs ?? Infinity;
    const first = await took(input);
    if (first < maxInputMs) return;
    const shortest = await minimized(
      input,
      async (candidate) => (await runSingle(file, name, candidate, 2 * maxInputMs)) === undefined,
      minimizeStallMs,
    );
    this.#report({ kind: 'stall', input: shortest, detail: `${first} ms of processor time` });
  }
}

const corpusFolder = (name: string): string => join(root, '.cache', 'fuzz', 'corpus', name);

/** Stores inputs that reach new branches for the next run. */
function keepCorpus(name: string, inputs: readonly Uint8Array[]): void {
  const folder = corpusFolder(name);
  mkdirSync(folder, { recursive: true });
  for (const input of inputs) {
    const file = createHash('sha256').update(input).digest('hex').slice(0, 16);
    writeFileSync(join(folder, file), input);
  }
}
