import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { tempFolder } from '@annex/testkit';
import { expect, it } from 'vitest';
import { findDataDir } from './data-dir.ts';

it.each<[where: string, existing: string[], env: Record<string, string>, expected: (root: string) => string]>(
  [
    ['of the environment', ['a/b/.annex'], { ANNEX_DATA_DIR: '/data' }, () => '/data'],
    ['in the folder', ['a/b/.annex', 'a/.annex'], {}, () => '.annex'],
    ['in the nearest parent', ['a/.annex', '.annex'], {}, (root) => join(root, 'a/.annex')],
    [
      'in a parent, if the variable is empty',
      ['.annex'],
      { ANNEX_DATA_DIR: '' },
      (root) => join(root, '.annex'),
    ],
    ['in the folder, if there is none', [], {}, () => '.annex'],
  ],
)('the data directory is the one %s', (_, existing, env, expected) => {
  using folder = tempFolder();
  mkdirSync(join(folder.path, 'a/b'), { recursive: true });
  for (const path of existing) mkdirSync(join(folder.path, path), { recursive: true });
  expect(findDataDir(env, join(folder.path, 'a/b'))).toBe(expected(folder.path));
});
