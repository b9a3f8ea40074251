import { expect, it } from 'vitest';
import { checkHistory } from './check-history.ts';
import type { History, List, Read, Version, Watch, WatchedEvent, Write } from './history.ts';

/** A history in which `a` is created at 2, changed at 3, deleted at 5; and `b` is created at 4. One client after the other. */
const created: Write = {
  client: 'c',
  type: 'create',
  key: 'a',
  value: 'a1',
  invokedAt: 0,
  returnedAt: 1,
  outcome: { type: 'done', revision: 2 },
};
const changed: Write = {
  ...created,
  type: 'update',
  value: 'a2',
  expected: 2,
  invokedAt: 2,
  returnedAt: 3,
  outcome: { type: 'done', revision: 3 },
};
const other: Write = {
  ...created,
  key: 'b',
  value: 'b1',
  invokedAt: 4,
  returnedAt: 5,
  outcome: { type: 'done', revision: 4 },
};
const deleted: Write = {
  ...created,
  type: 'delete',
  value: 'a2',
  expected: 3,
  invokedAt: 6,
  returnedAt: 7,
  outcome: { type: 'done', revision: undefined },
};
const event = (type: WatchedEvent['type'], key: string, value: string, revision: number): WatchedEvent => ({
  type,
  key,
  value,
  revision,
});
const received = [
  event('ADDED', 'a', 'a1', 2),
  event('MODIFIED', 'a', 'a2', 3),
  event('ADDED', 'b', 'b1', 4),
  event('DELETED', 'a', 'a2', 5),
] as const;
const all: Watch = { client: 'w', from: 1, received };
const version = (value: string, revision: number): Version => ({ value, revision });
const read = (key: string, invokedAt: number, returnedAt: number, found?: Version): Read => ({
  client: 'r',
  key,
  invokedAt,
  returnedAt,
  found,
});
const list = (revision: number, invokedAt: number, returnedAt: number, items: [string, Version][]): List => ({
  client: 'l',
  revision,
  invokedAt,
  returnedAt,
  items: new Map(items),
});

const history = (part: Partial<History>): History => ({
  start: { revision: 1, items: new Map() },
  writes: [created, changed, other, deleted],
  reads: [],
  lists: [],
  watches: [all],
  ...part,
});
const unknown = (write: Write): Write => ({ ...write, returnedAt: Infinity, outcome: { type: 'unknown' } });
const refused = (
  write: Write,
  reason: 'AlreadyExists' | 'Conflict' | 'NotFound',
  value = 'refused',
): Write => ({
  ...write,
  value,
  outcome: { type: 'refused', reason },
});
const withoutEvent = (revision: number): Watch => ({
  ...all,
  received: received.filter((one) => one.revision !== revision),
});

it.each<[string, Partial<History>]>([
  ['of requests one after the other', {}],
  [
    'with reads of what was there',
    { reads: [read('a', 1.5, 1.6, version('a1', 2)), read('a', 8, 9), read('b', 0, 0.5)] },
  ],
  [
    'with a read beside a write, before or after it',
    { reads: [read('a', 2.1, 2.9, version('a1', 2)), read('a', 2.1, 2.9, version('a2', 3))] },
  ],
  [
    'with lists of one revision',
    {
      lists: [
        list(4, 5.5, 5.6, [
          ['a', version('a2', 3)],
          ['b', version('b1', 4)],
        ]),
      ],
    },
  ],
  [
    'with an old list that the client accepts',
    { lists: [{ ...list(2, 8, 9, [['a', version('a1', 2)]]), notOlderThan: 0 }] },
  ],
  ['with a write without a response that happened', { writes: [created, changed, unknown(other), deleted] }],
  [
    'with a write without a response that did not happen',
    { writes: [created, changed, other, deleted, unknown({ ...created, value: 'a9', invokedAt: 8 })] },
  ],
  [
    'with refusals',
    {
      writes: [
        created,
        changed,
        other,
        deleted,
        refused({ ...created, invokedAt: 1.5, returnedAt: 1.6 }, 'AlreadyExists'),
        refused({ ...changed, invokedAt: 3.5, returnedAt: 3.6 }, 'Conflict'),
        refused({ ...changed, invokedAt: 8, returnedAt: 9 }, 'NotFound'),
      ],
    },
  ],
  [
    'with watches from later revisions',
    { watches: [all, { client: 'v', from: 3, received: received.slice(2, 3) }] },
  ],
  [
    'with bookmarks',
    { watches: [all, { client: 'v', from: 4, received: [{ type: 'BOOKMARK', revision: 4 }, received[3]] }] },
  ],
  [
    'with objects before its beginning',
    {
      start: { revision: 2, items: new Map([['a', version('a1', 2)]]) },
      writes: [changed, other, deleted],
      watches: [{ ...all, from: 2, received: received.slice(1) }],
    },
  ],
])('accepts a history %s', (_name, part) => {
  expect(checkHistory(history(part))).toEqual([]);
});

it.each<[string, Partial<History>, string]>([
  [
    'an acknowledged write that is lost',
    { watches: [withoutEvent(4)] },
    'create b b1 of c was acknowledged, but is lost',
  ],
  [
    'an acknowledged deletion that is lost',
    { watches: [withoutEvent(5)] },
    'delete a a2 of c was acknowledged, but is lost',
  ],
  [
    'a deletion that two clients did',
    { writes: [created, changed, other, deleted, { ...deleted, invokedAt: 8, returnedAt: 9 }] },
    'delete a a2 of c was acknowledged, but is lost',
  ],
  [
    'a write that happens twice',
    { watches: [{ ...all, received: [...received, event('ADDED', 'a', 'a1', 6)] }] },
    'ADDED a a1 at 6 happened twice',
  ],
  [
    'a change of nobody',
    { watches: [{ ...all, received: [...received, event('MODIFIED', 'b', 'b7', 6)] }] },
    'MODIFIED b b7 at 6 was not requested',
  ],
  [
    'a refused write that happened',
    { writes: [created, changed, { ...other, outcome: { type: 'refused', reason: 'Conflict' } }, deleted] },
    'create b b1 of c was refused, but happened: ADDED b b1 at 4',
  ],
  [
    'a refusal without a reason',
    {
      writes: [
        created,
        changed,
        other,
        deleted,
        refused({ ...created, invokedAt: 8, returnedAt: 9 }, 'AlreadyExists'),
      ],
    },
    'create a refused of c was refused with AlreadyExists, but nothing was there',
  ],
  [
    'an acknowledgement of another revision',
    { writes: [created, changed, { ...other, outcome: { type: 'done', revision: 7 } }, deleted] },
    'create b b1 of c was acknowledged at 7, but happened at 4',
  ],
  [
    'a write that happens before it begins',
    { writes: [created, changed, { ...other, invokedAt: 7.5, returnedAt: 8 }, deleted] },
    'create b b1 of c happened at 4, but began after 5 was seen',
  ],
  [
    'an update of another version than the expected one',
    { writes: [created, { ...changed, expected: 1 }, other, deleted] },
    'update a a2 of c replaced 2, but expected 1',
  ],
  [
    'a stale read',
    { reads: [read('a', 3.5, 3.6, version('a1', 2))] },
    'r read a1 at 2 of a, but a2 at 3 was there',
  ],
  ['a read of nothing', { reads: [read('b', 5.5, 5.6)] }, 'r read nothing of b, but b1 at 4 was there'],
  [
    'a read from the future',
    { reads: [read('b', 1.2, 1.3, version('b1', 4))] },
    'r read b1 at 4 of b, but nothing was there',
  ],
  [
    'a stale list',
    { lists: [list(2, 5.5, 5.6, [['a', version('a1', 2)]])] },
    'l listed revision 2, which is not between 4 and 4',
  ],
  [
    'a list older than accepted',
    { lists: [{ ...list(2, 5.5, 5.6, [['a', version('a1', 2)]]), notOlderThan: 3 }] },
    'l listed revision 2, which is not between 3 and 4',
  ],
  [
    'a list of two revisions',
    {
      lists: [
        list(4, 5.5, 5.6, [
          ['a', version('a1', 2)],
          ['b', version('b1', 4)],
        ]),
      ],
    },
    'l listed a1 at 2 of a at 4, but a2 at 3 was there',
  ],
  [
    'a watch with a gap',
    { watches: [all, { client: 'v', from: 1, received: [received[0], received[2]] }] },
    'v watched from 1 to 4, but missed MODIFIED a a2 at 3',
  ],
  [
    'a bookmark before an event',
    { watches: [all, { client: 'v', from: 2, received: [{ type: 'BOOKMARK', revision: 3 }] }] },
    'v watched from 2 to 3, but missed MODIFIED a a2 at 3',
  ],
  [
    'a watch that repeats an event',
    { watches: [all, { client: 'v', from: 1, received: [received[0], received[0]] }] },
    'v received ADDED at 2 after 2',
  ],
  [
    'watches that contradict each other',
    { watches: [all, { client: 'v', from: 3, received: [event('ADDED', 'b', 'b2', 4)] }] },
    'v received ADDED b b2 at 4, another watch ADDED b b1 at 4',
  ],
  [
    'events that do not follow from each other',
    {
      watches: [
        { ...all, received: [...received.slice(0, 1), event('ADDED', 'a', 'a2', 3), ...received.slice(2)] },
      ],
    },
    'ADDED a a2 at 3, but a1 was there',
  ],
])('reports %s', (_name, part, violation) => {
  expect(checkHistory(history(part))).toContain(violation);
});
