import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempFolder } from '@annex/testkit';
import { expect, it } from 'vitest';
import { directoryList, maxListedEntries } from './directory-list.ts';

it('lists folders with a slash, and names with a colon as paths', async () => {
  using folder = tempFolder();
  mkdirSync(join(folder.path, 'inner'));
  writeFileSync(join(folder.path, 'a:b'), '');
  expect(await directoryList(folder.path)).toContain(
    '<a href="./a:b">a:b</a>\n<a href="inner/">inner/</a>\n',
  );
});

it('leaves out what is too much', async () => {
  using folder = tempFolder();
  for (let i = 0; i <= maxListedEntries; i++) writeFileSync(join(folder.path, String(i)), '');
  expect((await directoryList(folder.path)).split('<a ').length - 1).toBe(maxListedEntries);
});
