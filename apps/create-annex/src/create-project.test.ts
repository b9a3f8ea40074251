import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempFolder } from '@annex/testkit';
import { expect, test } from 'vitest';
import own from '../package.json' with { type: 'json' };
import { createProject, templates } from './create-project.ts';

test.each([...templates.keys()])('%s is complete, and nothing is left to replace', (name) => {
  using parent = tempFolder('create-annex-');
  const folder = join(parent.path, 'My Project!');
  createProject(folder, name);
  const manifest = readFileSync(join(folder, 'package.json'), 'utf8');
  expect(JSON.parse(manifest)).toMatchObject({
    name: 'my-project',
    private: true,
    scripts: { test: 'node --test' },
  });
  expect(manifest).toContain(`"@annex/testing": "^${own.version}"`);
  for (const file of ['.gitignore', 'README.md', 'tsconfig.json'])
    expect(existsSync(join(folder, file)), file).toBe(true);
  expect(readFileSync(join(folder, 'README.md'), 'utf8') + manifest).not.toContain('{{');
});

test('a folder with files is refused, and stays as it is', () => {
  using folder = tempFolder('create-annex-');
  writeFileSync(join(folder.path, 'notes.txt'), 'mine');
  expect(() => createProject(folder.path, 'operator')).toThrow('is not empty: it contains notes.txt');
  expect(existsSync(join(folder.path, 'package.json'))).toBe(false);
});

test('a new git repository is accepted', () => {
  using folder = tempFolder('create-annex-');
  mkdirSync(join(folder.path, '.git'));
  createProject(folder.path, 'crd-tests');
  expect(existsSync(join(folder.path, 'crd.yaml'))).toBe(true);
});
