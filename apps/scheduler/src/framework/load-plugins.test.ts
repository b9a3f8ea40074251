import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempFolder } from '@annex/testkit';
import { expect, it } from 'vitest';
import { pluginRegistry } from '../plugins/registry.ts';
import { definePlugin } from './define-plugin.ts';
import { loadPlugins } from './load-plugins.ts';

const moduleOf = (folder: string, text: string): string => {
  const path = join(folder, 'plugin.mjs');
  writeFileSync(path, text);
  return path;
};

it('all plugins that a module exports are loaded', async () => {
  using folder = tempFolder();
  const path = moduleOf(
    folder.path,
    `export const a = { name: 'A', create: () => ({}) };
     export default { name: 'B', create: () => ({}) };
     export const helper = () => 1;`,
  );
  expect((await loadPlugins([path])).map(({ name }) => name).toSorted()).toEqual(['A', 'B']);
});

it.each<[string, string, string]>([
  ['without a plugin', 'export const a = 1;', 'exports no plugin: export what definePlugin returns'],
  ['that throws', "throw new Error('no price list');", 'no price list'],
  ['with a syntax error', 'export const = 1;', 'Unexpected token'],
])('a module %s is refused, with its name', async (_name, text, message) => {
  using folder = tempFolder();
  const path = moduleOf(folder.path, text);
  await expect(loadPlugins([path])).rejects.toThrow(`--plugin ${path}: ${message}`);
});

it('a file that is not there is refused', async () => {
  await expect(loadPlugins(['./no-such-plugin.mjs'])).rejects.toThrow(
    /^--plugin \.\/no-such-plugin\.mjs: Cannot find module/,
  );
});

it.each([
  ['a plugin of kube-scheduler', ['NodeName']],
  ['another plugin', ['Mine', 'Mine']],
])('the name of %s is refused', (_name, names) => {
  const others = names.map((name) => definePlugin({ name, create: () => ({}) }));
  expect(() => pluginRegistry(others)).toThrow(`a plugin named ${names[0]} already exists`);
});
