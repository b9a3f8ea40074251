import { Query } from '@annex/machinery';
import { expect, it } from 'vitest';
import { flowRequest } from './flow-request.fixture.ts';
import { type ObjectFacts, estimateWork } from './work-estimate.ts';

const facts = (count: number, watches = 0): ObjectFacts => ({
  stored: (group, resource) =>
    group === '' && resource === 'pods' ? { count, averageBytes: 2_000 } : undefined,
  watches: () => watches,
});
const all = Query.none;
const seats = (n: number) => ({ seats: n, finalSeats: 0, finalMs: 0 });
const list = flowRequest({ verb: 'list' });

it.each<[string, ReturnType<typeof flowRequest>, ObjectFacts, Query, number | undefined, object]>([
  ['a get takes one seat', flowRequest(), facts(5000), all, undefined, seats(1)],
  ['a list takes one for each 100 kB', list, facts(120), all, undefined, seats(3)],
  ['a large list is sent in pieces', list, facts(50_000), all, undefined, seats(10)],
  ['a level has a maximum', list, facts(5000), all, 4, seats(4)],
  ['a page takes less', list, facts(5000), new Query(['limit', '100']), undefined, seats(2)],
  ['a list of one name', flowRequest({ verb: 'list', name: 'a' }), facts(5000), all, undefined, seats(1)],
  [
    'a list of an unknown resource',
    flowRequest({ verb: 'list', resource: 'x' }),
    facts(5000),
    all,
    undefined,
    seats(1),
  ],
  [
    'a watch that begins with all objects',
    flowRequest({ verb: 'watch' }),
    facts(120),
    all,
    undefined,
    seats(3),
  ],
  [
    'another watch',
    flowRequest({ verb: 'watch' }),
    facts(120),
    new Query(['resourceVersion', '7']),
    undefined,
    seats(1),
  ],
  ['a change with few watchers', flowRequest({ verb: 'patch' }), facts(0, 9), all, undefined, seats(1)],
  [
    'a change with watchers',
    flowRequest({ verb: 'patch' }),
    facts(0, 25),
    all,
    undefined,
    { seats: 1, finalSeats: 3, finalMs: 5 },
  ],
  [
    'a change with many watchers takes longer',
    flowRequest({ verb: 'create' }),
    facts(0, 1000),
    all,
    undefined,
    { seats: 1, finalSeats: 10, finalMs: 50 },
  ],
  [
    'a token has no watchers',
    flowRequest({ verb: 'create', resource: 'serviceaccounts', subresource: 'token' }),
    facts(0, 1000),
    all,
    undefined,
    seats(1),
  ],
])('%s', (_what, request, known, query, most, expected) =>
  expect(estimateWork({ ...request, query }, known, most)).toEqual(expected),
);
