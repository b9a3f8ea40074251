import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hasAgents, playAgainstAgents } from './play-agent.ts';
import { playAgainstServer } from './play-server.ts';
import { readTunnelRecording } from './recording.ts';

const folder = join(import.meta.dirname, '../../tunnel');
const names = readdirSync(folder)
  .filter((file) => file.endsWith('.jsonl'))
  .map((file) => file.slice(0, -'.jsonl'.length))
  .sort();

/** The recordings that do not pass, with the reasons. The lists only become shorter. */
const readNotPassing = (file: string): ReadonlyMap<string, string> =>
  new Map(
    readFileSync(join(folder, file), 'utf8')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => [line.slice(0, line.indexOf(': ')), line.slice(line.indexOf(': ') + 2)] as const),
  );

const recordings = new Map(names.map((name) => [name, readTunnelRecording(join(folder, `${name}.jsonl`))]));
const withAgents = names.filter((name) => hasAgents(recordings.get(name)!));

describe.each([
  ['server', names, playAgainstServer, readNotPassing('not-passing.txt')],
  ['agent', withAgents, playAgainstAgents, readNotPassing('not-passing-agent.txt')],
] as const)('our %s', (_program, played, play, notPassing) => {
  test('every recording that does not pass exists', () => {
    expect([...notPassing.keys()].filter((name) => !played.includes(name))).toEqual([]);
  });

  test.concurrent.each(played.filter((name) => !notPassing.has(name)))(
    'plays %s',
    async (name) => {
      expect(await play(recordings.get(name)!)).toBeUndefined();
    },
    60_000,
  );
});
