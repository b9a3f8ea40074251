import { existsSync, globSync } from 'node:fs';
import { dirname } from 'node:path';
import { memoryDeps } from '@annex/app-testkit';
import { builtinKinds } from '@annex/kinds';
import { expect, it } from 'vitest';
import { specialKinds } from './core-kinds.ts';
import { kindsConfig } from './kinds.fixture.ts';

const special = specialKinds(memoryDeps(), kindsConfig);
const folder = (group: string) => (group === '' ? 'core' : group.split('.')[0]);

it('lists only recorded kinds, each once', () => {
  const recorded = new Set(builtinKinds().map(({ group, resource }) => `${group}/${resource}`));
  const listed = special.map(({ group, resource }) => `${group}/${resource}`);
  expect(listed.filter((key) => !recorded.has(key))).toEqual([]);
  expect(new Set(listed).size).toBe(listed.length);
});

it('has the folder of each kind under the name of its group and resource', () => {
  const listed = special.map(({ group, resource }) => `${folder(group)}/${resource}`);
  const folders = globSync('*/*/kind.ts', { cwd: import.meta.dirname }).map(dirname);
  expect(listed.sort()).toEqual(folders.sort());
  expect(listed.every((name) => existsSync(`${import.meta.dirname}/${name}/kind.ts`))).toBe(true);
});
