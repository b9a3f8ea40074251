/** The texts below are linted beside this file: they import from its neighbors. */
export const canaryFile = 'apps/core-api/src/kinds/scheduling/priorityclasses/kind.ts';

const canary = (name, refused, ...lines) => ({
  name,
  refused,
  source: [
    "import { getOwn, isObject, tableOf } from '@annex/machinery';",
    "import { systemClasses } from './validation.ts';",
    'const rows: Record<string, number> = { a: 1 };',
    'interface Labeled { readonly labels: Readonly<Record<string, string>> }',
    'export const used = [getOwn, isObject, tableOf, systemClasses, rows] as unknown as Labeled[];',
    ...lines,
    '',
  ].join('\n'),
});

/** Lookups by a name from input, and whether the rule must reject them. */
export const inheritedKeyCanaries = [
  canary('a table of the same file', true, 'export const f = (key: string) => rows[key];'),
  canary('a table that is imported', true, 'export const f = (key: string) => systemClasses[key];'),
  canary('`in` with a table', true, 'export const f = (key: string) => key in rows;'),
  canary(
    'a table in a private field',
    true,
    'export class T { #rows: Record<string, number> = {}; of(key: string) { return this.#rows[key]; } }',
  ),
  canary('a field of an interface', true, 'export const f = (o: Labeled, key: string) => o.labels[key];'),
  canary('a parameter', true, 'export const f = (t: Record<string, string>, key: string) => t[key];'),
  canary('a parsed document', true, 'export const f = (v: unknown, key: string) => isObject(v) && v[key];'),
  canary('optional access', true, 'export const f = (o: Labeled | undefined, k: string) => o?.labels?.[k];'),
  canary('a key of any type', true, 'export const f = (key: unknown) => rows[key as any];'),
  canary('a key that is cast to one', true, "export const f = (key: string) => rows[key as 'a'];"),
  canary('a generic key', true, 'export const f = <K extends string>(key: K) => rows[key];'),
  canary('a write', true, 'export const f = (key: string) => { rows[key] = 1; };'),
  canary(
    'a computed pattern',
    true,
    'export const f = (key: string) => { const { [key]: v } = rows; return v; };',
  ),
  canary('Object.assign', true, 'export const f = (o: Labeled) => Object.assign({}, o.labels);'),
  canary('Reflect.get', true, 'export const f = (key: string): unknown => Reflect.get(rows, key);'),
  canary(
    'a guard of another name',
    true,
    'export const f = (a: string, b: string) => (Object.hasOwn(rows, a) ? rows[b] : 0);',
  ),
  canary(
    'the names of another object',
    true,
    'export const f = (o: Labeled) => Object.keys(o.labels).map((key) => rows[key]);',
  ),
  canary('a name that every object has', true, 'export const f = (o: Labeled) => o.labels.constructor;'),
  canary('`as keyof`', true, 'export const f = (key: string) => ({ a: 1 })[key as keyof { a: 1 }];'),
  canary('a permission of nothing', true, '// permitted: no-inherited-keys, because', 'export const f = 1;'),
  canary(
    'a permitted lookup',
    false,
    '// permitted: no-inherited-keys, because',
    'export const f = (key: string) => rows[key];',
  ),
  canary('getOwn', false, 'export const f = (key: string) => getOwn(rows, key);'),
  canary('a Map', false, 'const map = tableOf({ a: 1 }); export const f = (key: string) => map.get(key);'),
  canary('Object.hasOwn', false, 'export const f = (k: string) => (Object.hasOwn(rows, k) ? rows[k] : 0);'),
  canary(
    'Object.hasOwn before',
    false,
    'export function f(k: string) { if (!Object.hasOwn(rows, k)) return 0; return rows[k]; }',
  ),
  canary('own names', false, 'export const f = () => Object.keys(rows).map((key) => rows[key]);'),
  canary('a number', false, 'export const f = (list: string[], at: number) => list[at];'),
  canary(
    'a name of a closed type',
    false,
    "export const f = (r: Record<'a' | 'b', number>, key: 'a' | 'b') => r[key];",
  ),
];
