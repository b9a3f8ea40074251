import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, expect, it } from 'vitest';
import { upOptions } from './up-options.ts';

const root = join(import.meta.dirname, '../../..');
const page = 'docs/reference/limits.md';
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** In `1.5 MiB` and `1,000 lines`, the units of bytes and times are factors; other words are units without a factor. */
const units: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  min: 60_000,
  bytes: 1,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
};
const bytes = ['bytes', 'KiB', 'MiB', 'GiB'];
const times = ['ms', 's', 'min'];

/** A row of the page: a constant with the file that it links, or an option with its page. */
interface Row {
  name: string;
  target: string;
  value: number;
  unit: string;
  tests: string[];
}

const link = /\[[^\]]*\]\(([^)]+)\)/g;
const pathOf = (target: string): string => join(dirname(page), target);

const rows: Row[] = [
  ...read(page).matchAll(
    /^\| \[`([\w-]+)`\]\(([^)]+)\) +\| ([\d,.]+) ([^|]+?) +\|[^|]+\|[^|]+\|([^|]+)\|$/gm,
  ),
].map(([, name = '', target = '', number = '', unit = '', tests = '']) => ({
  name,
  target: pathOf(target),
  value: Number(number.replaceAll(',', '')) * (units[unit] ?? 1),
  unit,
  tests: [...tests.matchAll(link)].map(([, path = '']) => pathOf(path)),
}));
const constants = rows.filter(({ name }) => !name.startsWith('--'));
const options = rows.filter(({ name }) => name.startsWith('--'));

const sources = globSync('{libs,apps}/*/src/**/*.ts', { cwd: root }).filter(
  (path) => !/\.(test|contract|fixture|fuzz)\.ts$|^apps\/e2e\/|testkit\//.test(path),
);
const limitName = String.raw`max[A-Z]\w*|[a-z]\w*TimeoutMs`;

/** The exported limits of the code, with their values. */
const exported = new Map<string, { path: string; value: unknown }>();
const repeated: string[] = [];
beforeAll(async () => {
  for (const path of sources) {
    const names = [...read(path).matchAll(new RegExp(`^export const (${limitName})\\b`, 'gm'))].map(
      ([, name = '']) => name,
    );
    if (names.length === 0) continue;
    const module = (await import(pathToFileURL(join(root, path)).href)) as Record<string, unknown>;
    for (const name of names.filter((each) => typeof module[each] === 'number')) {
      if (exported.has(name)) repeated.push(name);
      exported.set(name, { path, value: module[name] });
    }
  }
}, 60_000);

it('every row of the page can be parsed', () => {
  expect(rows.length).toBe(read(page).match(/^\| \[`/gm)?.length);
});

it('the page lists exactly the limits of the code, with their files and values', () => {
  const notified = constants.map(({ name, target: path, value }) => ({ name, path, value }));
  const known = [...exported].map(([name, { path, value }]) => ({ name, path, value }));
  const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1);
  expect(notified.sort(byName)).toEqual(known.sort(byName));
});

it('limits have different names', () => {
  expect(repeated).toEqual([]);
});

it('every limit is exported', () => {
  const hidden = sources.flatMap((path) =>
    [
      ...read(path).matchAll(new RegExp(`^const (${limitName})\\b[^=]*= *([\\d_]+(?: \\* [\\d_]+)*);`, 'gm')),
    ].map(([, name]) => `${path}: ${name}`),
  );
  expect(hidden).toEqual([]);
});

it('bytes and times have their units', () => {
  const invalid = constants.filter(({ name, unit }) => {
    if (name.includes('Bytes')) return !bytes.includes(unit);
    return name.endsWith('Ms') ? !times.includes(unit) : unit in units;
  });
  expect(invalid).toEqual([]);
});

it('every option of the page has that default', () => {
  const defaults = new Map(
    Object.values(upOptions).map((option) => [
      `--${option.flag}`,
      'default' in option ? option.default : undefined,
    ]),
  );
  expect(options.map(({ name, value }) => [name, value])).toEqual(
    options.map(({ name }) => [name, defaults.get(name)]),
  );
  expect(
    options.filter(({ name, target }) => !existsSync(join(root, target)) || !read(target).includes(name)),
  ).toEqual([]);
});

it('every test of the page exists and names its limit', () => {
  const invalid = rows.flatMap(({ name, tests }) =>
    tests
      .filter((path) => !existsSync(join(root, path)) || !read(path).includes(name))
      .map((path) => `${name}: ${path}`),
  );
  expect(invalid).toEqual([]);
});
