import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempFolder } from '@annex/testkit';
import { describe, expect, it } from 'vitest';
import { maxFileBytes, readTextFile, readTextFileSync } from './read-file.ts';

describe.each([
  ['readTextFile', readTextFile],
  ['readTextFileSync', (path: string) => Promise.resolve().then(() => readTextFileSync(path))],
])('%s', (_name, read) => {
  it('reads a text of several pieces, and characters that lie in two of them', async () => {
    using folder = tempFolder();
    const text = `x${'ü'.repeat(100_000)}`;
    writeFileSync(join(folder.path, 'a'), text);
    expect(await read(join(folder.path, 'a'))).toBe(text);
  });

  it.each([
    ['a file that is too large', (path: string) => truncateSync(path, maxFileBytes + 1)],
    ['a device without end', undefined],
  ])('refuses %s', async (_what, grow) => {
    using folder = tempFolder();
    const path = grow === undefined ? '/dev/zero' : join(folder.path, 'a');
    if (grow !== undefined) writeFileSync(path, '');
    grow?.(path);
    await expect(read(path)).rejects.toThrow(`${path} is larger than ${maxFileBytes} bytes`);
  });

  it('names the missing file', async () => {
    await expect(read('/nowhere/a')).rejects.toThrow("ENOENT: no such file or directory, open '/nowhere/a'");
  });
});
