import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLiveFiles, type LiveFiles } from './live-files.ts';
import { nullLogger } from './log.ts';

let folder: string;
let files: LiveFiles;
let warnings: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'annex-live-files-'));
  warnings = [];
  files = createLiveFiles({ ...nullLogger, warn: (text: string) => void warnings.push(text) }, 10);
});
afterEach(() => {
  files.close();
  rmSync(folder, { recursive: true });
});

const changed = (text: { onChange(listener: () => void): () => void }) =>
  new Promise<void>((resolve) => {
    text.onChange(resolve);
  });

describe('live files', () => {
  it('report the content, and each change of it', async () => {
    const path = join(folder, 'a');
    writeFileSync(path, 'one');
    const text = await files.open(path);
    expect(text.current()).toBe('one');
    const next = changed(text);
    writeFileSync(path, 'second');
    await next;
    expect(text.current()).toBe('second');
  });

  it('reload a file that another one replaces', async () => {
    const path = join(folder, 'a');
    writeFileSync(path, 'one');
    const text = await files.open(path);
    const next = changed(text);
    writeFileSync(join(folder, 'b'), 'two');
    renameSync(join(folder, 'b'), path);
    await next;
    expect(text.current()).toBe('two');
  });

  it('keep the previous content while the new one is invalid', async () => {
    const path = join(folder, 'a');
    writeFileSync(path, 'good 1');
    const text = await files.open(path, (content) => {
      if (!content.startsWith('good')) throw new Error('bad');
    });
    writeFileSync(path, 'bad');
    await vi.waitUntil(() => warnings.length > 0, { timeout: 20_000 });
    expect(text.current()).toBe('good 1');
    const next = changed(text);
    writeFileSync(path, 'good 22');
    await next;
    expect(text.current()).toBe('good 22');
  });

  it('refuse a file that is not there or of no use at first', async () => {
    const expected = { code: 'FILE_UNREADABLE' };
    await expect(files.open(join(folder, 'none'))).rejects.toMatchObject(expected);
    writeFileSync(join(folder, 'a'), 'x');
    const refuse = () => {
      throw new Error('bad');
    };
    await expect(files.open(join(folder, 'a'), refuse)).rejects.toMatchObject(expected);
  });
});
