import { expect, test } from 'vitest';
import { maxUnreadClientsBytes } from '../limits.ts';
import { UnreadLimit } from './unread-limit.ts';

/** Connections with bytes that wait; resolves to the indexes of those that are disconnected. */
function disconnected(unsent: readonly number[], received: number): number[] {
  const aborted: number[] = [];
  const connections = unsent.map((unsentBytes, index) => ({ unsentBytes, abort: () => aborted.push(index) }));
  new UnreadLimit(() => connections).received(received);
  return aborted;
}

const max = maxUnreadClientsBytes;

test.each<[sentence: string, unsent: number[], received: number, expected: number[]]>([
  ['nobody at the limit', [max / 2, max / 2], max, []],
  ['the client with the most bytes above the limit', [max / 4, max / 2, max / 4 + 1], max, [1]],
  ['as many clients as needed', [max, max / 2, max], max, [0, 2]],
  ['nobody before an eighth of the limit has arrived', [max * 2], max / 8 - 1, []],
])('%s is disconnected', (_sentence, unsent, received, expected) => {
  expect(disconnected(unsent, received)).toEqual(expected);
});
