import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import v8 from 'node:v8';
import { runInNewContext } from 'node:vm';
import { parentPort, workerData } from 'node:worker_threads';
import { CurrentInput } from './current-input.ts';
import { Edges } from './edges.ts';
import type { Finding } from './finding.ts';
import { Fuzzer } from './fuzzer.ts';
import { instrumentModules, isPackageSource } from './instrument.ts';
import { GoPeer } from './peer.ts';
import { Random } from './random.ts';
import { loadTarget, root } from './targets.ts';

/** The target and the limits of a thread. */
export interface FuzzThreadData {
  file: string;
  name: string;
  seed: number;
  /** Milliseconds for mutated inputs, before the growth check. */
  fuzzMs: number;
  growthMs: number;
  maxInputs: number;
  useGo: boolean;
  /** Folders with initial inputs. */
  inputFolders: readonly string[];
  memory: SharedArrayBuffer;
}

export interface FuzzProgress {
  inputs: number;
  reached: number;
  corpus: number;
}

export type FuzzThreadMessage =
  | ({ kind: 'progress' } & FuzzProgress)
  | { kind: 'finding'; finding: Finding }
  | ({ kind: 'end'; fuzzMs: number; newInputs: readonly Uint8Array[]; usesGo: boolean } & FuzzProgress);

const data = workerData as FuzzThreadData;
const send = (message: FuzzThreadMessage): void => parentPort!.postMessage(message);

v8.setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const edges = new Edges();
const modules = instrumentModules(edges, isPackageSource(root));
const target = await loadTarget(data.file, data.name);
const current = new CurrentInput(data.memory);
const peer = target.go !== undefined && data.useGo ? new GoPeer(target.go) : undefined;

const fuzzer = new Fuzzer({
  target,
  edges,
  random: new Random(data.seed),
  current,
  peer,
  usedMemory: () => {
    collectGarbage();
    return process.memoryUsage().heapUsed;
  },
  report: (finding) => send({ kind: 'finding', finding }),
});

const progress = (): FuzzProgress => ({
  inputs: fuzzer.inputs,
  reached: edges.reached,
  corpus: fuzzer.corpus.length,
});

// An unhandled rejection is caused by one of the last inputs.
process.on('unhandledRejection', (reason) => {
  const detail = `unhandled rejection: ${reason instanceof Error ? reason.stack : reason}`;
  send({ kind: 'finding', finding: { kind: 'error', input: current.input, detail } });
});

const start = performance.now();
const seeds = [
  ...target.seeds.map((seed) => (typeof seed === 'string' ? Buffer.from(seed) : seed)),
  ...data.inputFolders.flatMap(filesOf),
];
await fuzzer.start(seeds);
fuzzer.words = wordsOfRunningCode();

let lastProgress = start;
await fuzzer.run(() => {
  const now = performance.now();
  if (now - lastProgress > 1_000) {
    lastProgress = now;
    send({ kind: 'progress', ...progress() });
  }
  return now - start > data.fuzzMs || fuzzer.inputs >= data.maxInputs;
});
const fuzzMs = performance.now() - start;
const end = progress();
const growthEnd = performance.now() + data.growthMs;
await fuzzer.checkGrowth(() => performance.now() > growthEnd);
peer?.close();
send({
  kind: 'end',
  ...end,
  fuzzMs,
  newInputs: fuzzer.corpus.slice(seeds.length),
  usesGo: peer !== undefined,
});

/** Returns the string literals of the modules that the seeds reached, and the words of the target. */
function wordsOfRunningCode(): Uint8Array[] {
  const words = new Set(target.dictionary);
  for (const { firstEdge, endEdge, words: literals } of modules) {
    if (edges.wasReached(firstEdge, endEdge)) for (const literal of literals) words.add(literal);
  }
  return [...words].map((word) => Buffer.from(word));
}

function filesOf(folder: string): Uint8Array[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.go'))
    .map(({ name }) => readFileSync(join(folder, name)));
}
