import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { FakeClock, tempFolder } from '@annex/testkit';
import { expect, it } from 'vitest';
import { LogFile } from './log-file.ts';

const start = Date.UTC(2026, 0, 2, 3, 4, 5, 6);
const keepAll = { maxBytes: 10, maxBackups: 0, maxAge: 0, compress: false };

it('contains a line when write returns', async () => {
  using folder = tempFolder();
  const path = join(folder.path, 'new', 'audit.log');
  const file = await LogFile.open(path, keepAll, new FakeClock(start));
  file.write('one\n');
  expect(readFileSync(path, 'utf8')).toBe('one\n');
  await file.close();
});

it('writes a long line in slices, in the order of the calls, before it is closed', async () => {
  using folder = tempFolder();
  const path = join(folder.path, 'audit.log');
  const file = await LogFile.open(path, { ...keepAll, maxBytes: 0 }, new FakeClock(start));
  // Slices would end within a character.
  const long = `a${'\u{1f600}'.repeat(600_000)}\n`;
  const written = [file.write('one\n'), file.write(long), file.write('two\n'), file.write(long)];
  expect(written.map((one) => one instanceof Promise)).toEqual([false, true, true, true]);
  expect(readFileSync(path, 'utf8')).toBe('one\n');
  await written[2];
  expect(readFileSync(path, 'utf8') === `one\n${long}two\n`).toBe(true);
  await file.close();
  expect(readFileSync(path, 'utf8') === `one\n${long}two\n${long}`).toBe(true);
  const again = await LogFile.open(path, { ...keepAll, maxBytes: 0 }, new FakeClock(start));
  expect(again.write('three\n')).toBeUndefined();
  await again.close();
});

it.each([5, 1_000_000])(
  'loses a line of %s characters that cannot be written, and none behind it',
  async (length) => {
    using folder = tempFolder();
    const path = join(folder.path, 'logs', 'audit.log');
    const file = await LogFile.open(path, { ...keepAll, maxBytes: 5 }, new FakeClock(start));
    await file.write('one\n');
    rmSync(join(folder.path, 'logs'), { recursive: true });
    await expect(async () => file.write('x'.repeat(length))).rejects.toThrow('ENOENT');
    mkdirSync(join(folder.path, 'logs'));
    writeFileSync(path, '');
    await file.write('two\n');
    expect(readFileSync(path, 'utf8')).toBe('two\n');
    await file.close();
  },
);

it('appends to the existing file, and renames a full one with a timestamp', async () => {
  using folder = tempFolder();
  const path = join(folder.path, 'audit.log');
  const clock = new FakeClock(start);
  const before = await LogFile.open(path, keepAll, clock);
  before.write('123456\n');
  await before.close();
  const file = await LogFile.open(path, keepAll, clock);
  file.write('789\n');
  await file.close();
  expect(readdirSync(folder.path).sort()).toEqual(['audit-2026-01-02T03-04-05.006.log', 'audit.log']);
  expect(readFileSync(path, 'utf8')).toBe('789\n');
});

it('keeps the newest rotated files within the limits, and removes no other files', async () => {
  using folder = tempFolder();
  const path = join(folder.path, 'audit.log');
  const clock = new FakeClock(start);
  const rotation = { maxBytes: 1, maxBackups: 2, maxAge: 1, compress: true };
  const file = await LogFile.open(path, rotation, clock);
  const other = await LogFile.open(join(folder.path, 'audit-other.log'), rotation, clock);
  for (const line of ['a', 'b', 'c', 'd']) {
    file.write(line);
    other.write(line === 'a' ? line : '');
    await clock.advance(1000);
  }
  await file.close();
  await other.close();
  expect(readdirSync(folder.path).sort()).toEqual([
    'audit-2026-01-02T03-04-07.006.log.gz',
    'audit-2026-01-02T03-04-08.006.log.gz',
    'audit-other.log',
    'audit.log',
  ]);
  const backup = readFileSync(join(folder.path, 'audit-2026-01-02T03-04-08.006.log.gz'));
  expect(gunzipSync(backup).toString()).toBe('c');
});
