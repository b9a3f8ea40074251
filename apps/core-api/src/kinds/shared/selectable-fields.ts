import type { KubeObject } from '@annex/machinery';
import { at } from './cells.ts';

type Value = (object: KubeObject) => string;

/** The field selectors of a kind, by label. */
export type FieldSelectors = ReadonlyMap<string, Value>;

/** Returns the text at a path; `absent` if there is none. */
export const fieldText =
  (path: string, absent = ''): Value =>
  (object) =>
    String(at(object, path) ?? absent);

/** Field selectors whose labels are the paths of the fields. */
export const fieldSelectors = (...paths: string[]): FieldSelectors =>
  new Map(paths.map((path) => [path, fieldText(path)]));
