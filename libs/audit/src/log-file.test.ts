import { readdirSync, readFileSync } from 'node:fs';
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
