import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { playAgainstServer } from './play-server.ts';
import { readTunnelRecording } from './recording.ts';

const folder = join(import.meta.dirname, '../../tunnel');
const names = readdirSync(folder)
  .filter((file) => file.endsWith('.jsonl'))
  .map((file) => file.slice(0, -'.jsonl'.length))
  .sort();

/** The recordings that do not pass, with the reasons. The list only becomes shorter. */
const notPassing = new Map(
  readFileSync(join(folder, 'not-passing.txt'), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => [line.slice(0, line.indexOf(': ')), line.slice(line.indexOf(': ') + 2)] as const),
);

test('every recording that does not pass exists', () => {
  expect([...notPassing.keys()].filter((name) => !names.includes(name))).toEqual([]);
});

test.concurrent.each(names.filter((name) => !notPassing.has(name)))(
  'our server plays %s',
  async (name) => {
    expect(await playAgainstServer(readTunnelRecording(join(folder, `${name}.jsonl`)))).toBeUndefined();
  },
  60_000,
);
