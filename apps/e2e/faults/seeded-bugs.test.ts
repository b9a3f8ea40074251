import { expect, it } from 'vitest';
import { randomOf } from '../suites/load.ts';
import { checkHistory } from './check-history.ts';
import type { History, List, Read, Version, Watch, WatchedEvent, Write } from './history.ts';

type Bug =
  | 'loses an acknowledged write'
  | 'loses an acknowledged deletion'
  | 'writes twice'
  | 'writes what it refused'
  | 'reads an old version'
  | 'reads what was never written'
  | 'lists an old state'
  | 'lists two states at once'
  | 'does not compare the expected revision'
  | 'sends an event twice'
  | 'sends events out of order'
  | 'leaves an event out'
  | 'sends a bookmark too early';
type Events = (WatchedEvent | { type: 'BOOKMARK'; revision: number })[];

const [operations, keys, seeds] = [300, 4, 10];

/** The history of a server with concurrent clients. With a bug, it does one thing wrong, somewhere. */
function simulate(seed: number, bug?: Bug): History {
  const random = randomOf(seed);
  const state = new Map<string, Version>();
  const events: WatchedEvent[] = [];
  const [writes, reads, lists]: [Write[], Read[], List[]] = [[], [], []];
  const old = () => new Map(state);
  const previous = new Map<string, Version | undefined>();
  let [revision, isDone] = [1, false];
  const now = (wanted: Bug) => bug === wanted && !isDone && revision > 60 && (isDone = true);
  const apply = (type: WatchedEvent['type'], key: string, value: string) => {
    events.push({ type, key, value, revision: ++revision });
    previous.set(key, state.get(key));
    if (type === 'DELETED') state.delete(key);
    else state.set(key, { value, revision });
  };
  for (let i = 1; i <= operations; i++) {
    const key = `k${Math.floor(random() * keys)}`;
    // Requests overlap with those before and after them, but have their effect in this order.
    const times = { client: `c${i}`, invokedAt: i - 2 * random(), returnedAt: i + 2 * random() };
    const [current, chance] = [state.get(key), random()];
    const write = { ...times, key, value: `v${i}` };
    if (current === undefined) {
      const isLost = now('loses an acknowledged write');
      if (!isLost) apply('ADDED', key, write.value);
      if (now('writes twice')) apply('MODIFIED', key, write.value);
      writes.push({
        ...write,
        type: 'create',
        outcome: { type: 'done', revision: isLost ? ++revision : revision },
      });
    } else if (chance < 0.3) {
      const isRefused = random() < 0.3;
      const expected = isRefused ? current.revision - 1 : current.revision;
      const ignores = isRefused && now('does not compare the expected revision');
      if (!isRefused || ignores || now('writes what it refused')) {
        apply('MODIFIED', key, write.value);
      }
      const outcome: Write['outcome'] =
        isRefused && !ignores ? { type: 'refused', reason: 'Conflict' } : { type: 'done', revision };
      writes.push({ ...write, type: 'update', expected, outcome });
    } else if (chance < 0.5) {
      if (!now('loses an acknowledged deletion')) apply('DELETED', key, current.value);
      const deleted = { ...write, value: current.value, type: 'delete' as const, expected: current.revision };
      writes.push({ ...deleted, outcome: { type: 'done', revision: undefined } });
    } else if (chance < 0.8) {
      // Not beside the last write, where both versions are correct.
      const late = { ...times, invokedAt: i + 3, returnedAt: i + 3.5 };
      if (previous.get(key) !== undefined && now('reads an old version'))
        reads.push({ ...late, key, found: previous.get(key) });
      else if (now('reads what was never written'))
        reads.push({ ...times, key, found: { value: 'x', revision } });
      else reads.push({ ...times, key, found: current });
    } else {
      const late = { ...times, invokedAt: i + 3, returnedAt: i + 3.5 };
      if (now('lists an old state')) lists.push({ ...late, revision: revision - 20, items: new Map() });
      else if (now('lists two states at once'))
        lists.push({ ...times, revision, items: new Map([[key, current]]) });
      else lists.push({ ...times, revision, items: old() });
    }
  }
  return {
    start: { revision: 1, items: new Map() },
    writes,
    reads,
    lists,
    watches: [{ client: 'all', from: 1, received: events }, ...watchesOf(events, random, bug)],
  };
}

/** One watch of everything, which a bug damages, and some of parts. */
function watchesOf(events: readonly WatchedEvent[], random: () => number, bug: Bug | undefined): Watch[] {
  const place = 10 + Math.floor(random() * (events.length - 20));
  const received: Events = [...events];
  if (bug === 'sends an event twice') received.splice(place, 0, events[place]!);
  if (bug === 'sends events out of order') received.splice(place, 2, events[place + 1]!, events[place]!);
  if (bug === 'leaves an event out') received.splice(place, 1);
  if (bug === 'sends a bookmark too early') {
    received.length = place;
    received.push({ type: 'BOOKMARK', revision: events[place]!.revision });
  }
  const parts = Array.from({ length: 3 }, (_, i): Watch => {
    const from = Math.floor(random() * (events.length - 1));
    return { client: `part-${i}`, from: events[from]!.revision, received: events.slice(from + 1, from + 30) };
  });
  return [{ client: 'damaged', from: 1, received }, ...parts];
}

it('a history without a bug has no violation', () => {
  for (let seed = 1; seed <= seeds; seed++) expect(checkHistory(simulate(seed)), `seed ${seed}`).toEqual([]);
});

it.each<[Bug, RegExp]>([
  ['loses an acknowledged write', /was acknowledged, but is lost/],
  ['loses an acknowledged deletion', /was acknowledged, but is lost/],
  ['writes twice', /happened twice/],
  ['writes what it refused', /was refused, but happened/],
  ['reads an old version', / read /],
  ['reads what was never written', / read /],
  ['lists an old state', / listed /],
  ['lists two states at once', / listed /],
  ['does not compare the expected revision', /, but expected /],
  ['sends an event twice', / received \w+ at \d+ after /],
  ['sends events out of order', / received \w+ at \d+ after /],
  ['leaves an event out', / but missed /],
  ['sends a bookmark too early', / but missed /],
])('a server that %s is found, in each history', (bug, violation) => {
  for (let seed = 1; seed <= seeds; seed++)
    expect(checkHistory(simulate(seed, bug)).join('\n'), `seed ${seed}`).toMatch(violation);
});
