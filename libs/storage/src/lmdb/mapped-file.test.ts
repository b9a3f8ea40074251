import { appendFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tempFolder } from '@annex/testkit';
import { beforeEach, expect, it } from 'vitest';
import { MappedFile } from './mapped-file.ts';
import { dataFile } from './store-files.ts';

const folder = tempFolder();
const path = dataFile(folder.path);
let file: MappedFile;
beforeEach(() => {
  writeFileSync(path, Buffer.alloc(8192));
  file = new MappedFile(folder.path);
});

it('a file that grows is intact', () => {
  appendFileSync(path, Buffer.alloc(4096));
  expect(file.check()).toBeUndefined();
  expect(file.damage).toBeUndefined();
});

it.each<[what: string, damage: () => void]>([
  ['was truncated', () => truncateSync(path, 4096)],
  ['was removed', () => rmSync(path)],
  [
    'was replaced',
    () => {
      writeFileSync(`${path}.new`, Buffer.alloc(8192));
      renameSync(`${path}.new`, path);
    },
  ],
])('a file that %s is damaged, also when it grows again', (what, damage) => {
  damage();
  expect(file.check()).toMatchObject({
    code: 'damaged',
    message: expect.stringContaining(`${path} ${what} while it was open`) as string,
  });
  writeFileSync(path, Buffer.alloc(16_384));
  expect(file.check()).toBe(file.damage);
  expect(file.damage).toBeDefined();
});

it('a file that grew and is truncated to its first size is damaged', () => {
  appendFileSync(path, Buffer.alloc(4096));
  file.check();
  truncateSync(path, 8192);
  expect(file.check()?.code).toBe('damaged');
});
