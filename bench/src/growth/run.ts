import {
  type Point,
  measureDefinitions,
  measureDeletions,
  measureObjects,
  measureWatches,
} from './curves.ts';
import { type GrownServer, startGrown, startGrownReference } from './grown-server.ts';
import type { ImageSize } from './stored-image.ts';

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
  /** The sizes that kube-apiserver is measured with. */
  referenceSizes: readonly number[];
  /** The objects of the store at the start; without it, the store is empty. */
  image?(size: number): ImageSize;
  /** True if controllers of kube-controller-manager delete on kube-apiserver. */
  isDeleting?: boolean;
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
    referenceSizes: [25_000, 50_000, 100_000],
    image: (objects) => ({ ...none, objects }),
    measure: (server, size) => measureObjects(server, size, size <= wholeObjects),
  },
  {
    name: 'growth to a million objects',
    sizes: [1_000_000],
    referenceSizes: [],
    image: (objects) => ({ ...none, objects }),
    measure: (server, size) => measureObjects(server, size, size <= wholeObjects),
  },
  {
    name: 'growth of objects of 1 MB',
    sizes: [10, 50, 100],
    referenceSizes: [10, 50, 100],
    image: (objects) => ({ ...none, objects, text: large }),
    measure: (server, size) => measureObjects(server, size, true),
  },
  {
    name: 'growth of deletions',
    sizes: [2500, 5000, 10_000],
    referenceSizes: [2500, 5000, 10_000],
    image: (size) => ({ ...none, dependents: size, inNamespace: size }),
    isDeleting: true,
    measure: (server) => measureDeletions(server),
  },
  {
    name: 'growth of definitions',
    sizes: [2500, 5000, 10_000],
    referenceSizes: [250, 500, 1000],
    measure: measureDefinitions,
  },
  {
    name: 'growth of watches',
    sizes: [2500, 5000, 10_000],
    referenceSizes: [2500, 5000, 10_000],
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
  for (const { name, sizes, referenceSizes, image, isDeleting = false, measure } of curves) {
    if (!names.has(name)) continue;
    const take = async (server: string, size: number, grown: GrownServer): Promise<void> => {
      const points = Object.fromEntries(await measure(grown, size));
      results.push({ row: name, server, size, load: grown.load, points });
      report(results.at(-1) as GrowthResult);
    };
    for (const size of sizes) {
      await using grown = await startGrown(image?.(size));
      await take('annex', size, grown);
    }
    for (const size of programs === undefined ? [] : referenceSizes) {
      await using grown = await startGrownReference(programs as string, image?.(size), isDeleting);
      await take('kube-apiserver', size, grown);
    }
  }
  return results;
}
