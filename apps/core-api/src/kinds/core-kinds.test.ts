import { existsSync, globSync } from 'node:fs';
import { dirname } from 'node:path';
import { memoryDeps } from '@annex/app-testkit';
import { builtinKinds } from '@annex/kinds';
import { expect, it } from 'vitest';
import { specialKinds } from './core-kinds.ts';
import { kindOf, kindsConfig } from './kinds.fixture.ts';

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

it.each([
  ['apps/deployments', { annotations: { c: 'd' }, labels: { old: 'l' } }],
  ['/services', { annotations: { c: 'd' }, labels: { a: 'b' } }],
  ['networking.k8s.io/servicecidrs', { labels: { old: 'l' } }],
])('keeps the metadata that the status endpoint of %s does not take', async (key, metadata) => {
  const old = { metadata: { name: 'x', labels: { old: 'l' } } };
  const sent = { metadata: { name: 'x', labels: { a: 'b' }, annotations: { c: 'd' } }, status: {} };
  const written = await kindOf(key).subresources.status!.write!(sent, old, undefined as never);
  expect(written.metadata).toEqual({ name: 'x', ...metadata });
});

it.each([
  ['/configmaps', { asUpdate: 1, asWhole: 1, standardFinalizers: true }],
  ['/persistentvolumes', { asUpdate: 0, asWhole: 2, standardFinalizers: true }],
  ['coordination.k8s.io/leases', { asUpdate: 1, asWhole: 0, standardFinalizers: false }],
  ['policy/poddisruptionbudgets', { asUpdate: 0, asWhole: 0, standardFinalizers: false }],
])('counts how often the metadata of an update of %s is checked', (key, checks) => {
  expect(kindOf(key).strategy.metaChecks).toEqual(checks);
});
