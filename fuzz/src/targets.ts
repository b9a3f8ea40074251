import { globSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { FuzzTarget } from '@annex/testkit';

/** The folder of the repository. */
export const root = join(import.meta.dirname, '..', '..');

/** Returns the files of all targets: `x.fuzz.ts` beside `x.ts`. */
export const targetFiles = (): string[] =>
  globSync('{libs,apps}/*/src/**/*.fuzz.ts', { cwd: root })
    .toSorted()
    .map((file) => join(root, file));

/** Resolves to the targets that a file exports as `fuzzTargets`. */
export async function loadTargets(file: string): Promise<readonly FuzzTarget[]> {
  const { fuzzTargets } = (await import(pathToFileURL(file).href)) as { fuzzTargets: readonly FuzzTarget[] };
  return fuzzTargets;
}

/** Resolves to one target of a file. */
export async function loadTarget(file: string, name: string): Promise<FuzzTarget> {
  const target = (await loadTargets(file)).find((candidate) => candidate.name === name);
  if (target === undefined) throw new Error(`${file} has no target ${name}`);
  return target;
}
