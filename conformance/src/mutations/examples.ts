import { readdirSync, readFileSync } from 'node:fs';
import type { JsonObject } from '@annex/machinery';

/** An object of a built-in kind with most of its fields, which both servers accept. */
export interface Example {
  name: string;
  /** The collection. */
  path: string;
  object: JsonObject;
  /** The status that is set after the creation, at the status endpoint. */
  status?: JsonObject;
}

const folder = new URL('../../mutations/', import.meta.url);

/** Returns the examples of the named files; all of them if no name is given. */
export function readExamples(names: readonly string[]): Example[] {
  const files = readdirSync(folder).map((file) => file.replace(/\.json$/, ''));
  const unknown = names.filter((name) => !files.includes(name));
  if (unknown.length > 0) throw new Error(`no examples: ${unknown.join(', ')}`);
  return files
    .filter((name) => names.length === 0 || names.includes(name))
    .map(
      (name) => ({ name, ...JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8')) }) as Example,
    );
}
