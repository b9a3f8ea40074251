import { Writable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { corkForTurn } from './cork-for-turn.ts';

test('what is written to several streams in one turn is one write for each, and the next turn has its own', async () => {
  const writes: string[] = [];
  const streamOf = (name: string) =>
    new Writable({
      writev(chunks, done) {
        writes.push(`${name}: ${chunks.map(({ chunk }) => String(chunk)).join(' ')}`);
        done();
      },
    });
  const [one, other] = [streamOf('one'), streamOf('other')];
  const write = (stream: Writable, text: string): void => {
    corkForTurn(stream);
    stream.write(text);
  };
  write(one, 'a');
  write(other, 'b');
  write(one, 'c');
  expect(writes).toEqual([]);
  await turn();
  expect(writes).toEqual(['one: a c', 'other: b']);
  write(one, 'd');
  await turn();
  expect(writes.at(-1)).toBe('one: d');
});
