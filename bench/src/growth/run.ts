import {
  type Point,
  createObjects,
  measureDefinitions,
  measureDeletions,
  measureObjects,
  measureWatches,
} from './curves.ts';
import { type GrownServer, startEmptyReference, startGrown } from './grown-server.ts';

/** A curve of one server. */
export interface GrowthResult {
  row: string;
  server: string;
  size: number;
  /** The load of the machine at the end. */
  load: number;
  points: Record<string, Point extends Map<string, infer V> ? V : never>;
}

interface Curve {
  name: string;
  sizes: readonly number[];
  /** The sizes that kube-apiserver is measured with: its objects are created one by one. */
  referenceSizes: readonly number[];
  open(size: number): Promise<GrownServer>;
  /** Creates the objects on kube-apiserver. */
  fill?(server: GrownServer, size: number): Promise<unknown>;
  measure(server: GrownServer, size: number): Promise<Point>;
}

const text = 300;
const large = 1_000_000;
const none = { objects: 0, text, dependents: 0, inNamespace: 0 };

/** Lists of more objects are not read as a whole: a response of a client is at most 512 MiB. */
const wholeObjects = 200_000;

const curves: readonly Curve[] = [
  {
    name: 'growth of objects',
    sizes: [25_000, 50_000, 100_000],
    referenceSizes: [25_000],
    open: (objects) => startGrown({ ...none, objects }),
    fill: (server, size) => createObjects(server, size, text),
    measure: (server, size) => measureObjects(server, size, size <= wholeObjects),
  },
  {
    name: 'growth to a million objects',
    sizes: [1_000_000],
    referenceSizes: [],
    open: (objects) => startGrown({ ...none, objects }),
    measure: (server, size) => measureObjects(server, size, size <= wholeObjects),
  },
  {
    name: 'growth of objects of 1 MB',
    sizes: [10, 50, 100],
    referenceSizes: [10, 50, 100],
    open: (objects) => startGrown({ ...none, objects, text: large }),
    fill: (server, size) => createObjects(server, size, large),
    measure: (server, size) => measureObjects(server, size, true),
  },
  {
    name: 'growth of deletions',
    sizes: [2500, 5000, 10_000],
    referenceSizes: [],
    open: (size) => startGrown({ ...none, dependents: size, inNamespace: size }),
    measure: (server) => measureDeletions(server),
  },
  {
    name: 'growth of definitions',
    sizes: [2500, 5000, 10_000],
    referenceSizes: [250, 500],
    open: () => startGrown(undefined),
    measure: measureDefinitions,
  },
  {
    name: 'growth of watches',
    sizes: [2500, 5000, 10_000],
    referenceSizes: [2500, 5000],
    open: () => startGrown(undefined),
    measure: measureWatches,
  },
];

export const growthNames: readonly string[] = curves.map(({ name }) => name);

/** Measures curves, each size on a new server; with the folder of programs also those of kube-apiserver. */
export async function runGrowth(
  names: ReadonlySet<string>,
  programs: string | undefined,
  report: (result: GrowthResult) => void,
): Promise<GrowthResult[]> {
  const results: GrowthResult[] = [];
  for (const { name, sizes, referenceSizes, open, fill, measure } of curves) {
    if (!names.has(name)) continue;
    const take = async (server: string, size: number, grown: GrownServer): Promise<void> => {
      const points = Object.fromEntries(await measure(grown, size));
      results.push({ row: name, server, size, load: grown.load, points });
      report(results.at(-1) as GrowthResult);
    };
    for (const size of sizes) {
      await using grown = await open(size);
      await take('annex', size, grown);
    }
    for (const size of programs === undefined ? [] : referenceSizes) {
      await using grown = await startEmptyReference(programs as string);
      await fill?.(grown, size);
      await take('kube-apiserver', size, grown);
    }
  }
  return results;
}
