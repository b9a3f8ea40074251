import { ChangeLog, textOf } from './change-log.ts';
import type { History, List, Read, Version, Watch, WatchedEvent, Write } from './history.ts';
import { RealTime } from './real-time.ts';

/** What the rules compare a history with. */
interface Facts {
  log: ChangeLog;
  time: RealTime;
  /** The event that a write caused. */
  effectOf(write: Write): WatchedEvent | undefined;
}

/**
 * Returns what a server must not do, one sentence each: single objects are linearizable, acknowledged writes last, no write happens twice,
 * lists show everything at one revision, and watches receive every change exactly once and in order. A revision is global in
 * etcd, so the order of requests in real time has to be that of their revisions. The models are etcd's robustness tests and
 * Jepsen's tests of etcd.
 */
export function checkHistory(history: History): string[] {
  const log = new ChangeLog(history);
  const effects = effectsOf(log, history.writes);
  const effectOf = (write: Write) => effects.get(write);
  const revisionOf = (write: Write) =>
    write.outcome.type === 'done' && write.outcome.revision !== undefined
      ? write.outcome.revision
      : effectOf(write)?.revision;
  const facts: Facts = { log, time: new RealTime(history, revisionOf), effectOf };
  return [
    ...log.violations,
    ...sequenceErrors(log, history),
    ...originErrors(log, history.writes),
    ...history.writes.flatMap((write) => writeErrors(write, facts)),
    ...history.reads.flatMap((read) => readErrors(read, facts)),
    ...history.lists.flatMap((list) => listErrors(list, facts)),
    ...history.watches.flatMap((watch) => watchErrors(watch, log)),
  ];
}

const effectKey = (isDeletion: boolean, value: string): string =>
  `${isDeletion ? 'deleted' : 'written'} ${value}`;

/** Returns the events that writes caused. A deletion that several clients requested is that of the acknowledged request. */
function effectsOf({ events }: ChangeLog, writes: readonly Write[]): Map<Write, WatchedEvent> {
  const candidates = new Map<string, Write[]>();
  for (const write of writes) {
    const key = effectKey(write.type === 'delete', write.value);
    // The version that a refused request wanted to delete can have been deleted by another one.
    if (write.type === 'delete' && write.outcome.type === 'refused') continue;
    candidates.set(key, [...(candidates.get(key) ?? []), write]);
  }
  const effects = new Map<Write, WatchedEvent>();
  for (const event of events) {
    const found = candidates.get(effectKey(event.type === 'DELETED', event.value)) ?? [];
    const cause = found.length === 1 ? found[0] : found.find(({ outcome }) => outcome.type === 'done');
    if (cause !== undefined) effects.set(cause, event);
  }
  return effects;
}

/** Each event has to follow from the one before it. */
function sequenceErrors({ events }: ChangeLog, { start }: History): string[] {
  const present = new Map([...start.items].map(([key, { value }]) => [key, value]));
  const errors: string[] = [];
  for (const event of events) {
    const before = present.get(event.key);
    const fits =
      event.type === 'DELETED' ? before === event.value : (event.type === 'ADDED') === (before === undefined);
    if (!fits) errors.push(`${textOf(event)}, but ${before ?? 'nothing'} was there`);
    if (event.type === 'DELETED') present.delete(event.key);
    else present.set(event.key, event.value);
  }
  return errors;
}

/** Each event has to come from a request, and each request has one event at most. */
function originErrors({ events }: ChangeLog, writes: readonly Write[]): string[] {
  const sent = new Set(writes.map(({ type, value }) => effectKey(type === 'delete', value)));
  const happened = new Set<string>();
  return events.flatMap((event) => {
    const effect = effectKey(event.type === 'DELETED', event.value);
    if (!sent.has(effect)) return [`${textOf(event)} was not requested`];
    if (happened.has(effect)) return [`${textOf(event)} happened twice`];
    happened.add(effect);
    return [];
  });
}

function writeErrors(write: Write, { log, time, effectOf }: Facts): string[] {
  const { client, type, key, value, expected, outcome } = write;
  const name = `${type} ${key} ${value} of ${client}`;
  const effect = effectOf(write);
  if (outcome.type === 'refused') {
    if (effect !== undefined) return [`${name} was refused, but happened: ${textOf(effect)}`];
    const states = log.between(key, ...time.window(write, log));
    return states.some((state) => refuses(outcome.reason, state, expected))
      ? []
      : [`${name} was refused with ${outcome.reason}, but ${states.map(versionText).join(', ')} was there`];
  }
  if (effect === undefined) return outcome.type === 'done' ? [`${name} was acknowledged, but is lost`] : [];
  const errors: string[] = [];
  const { revision } = effect;
  if (outcome.type === 'done' && (outcome.revision ?? revision) !== revision)
    errors.push(`${name} was acknowledged at ${outcome.revision}, but happened at ${revision}`);
  const reached = time.reachedBefore(write.invokedAt);
  if (revision <= reached)
    errors.push(`${name} happened at ${revision}, but began after ${reached} was seen`);
  const before = log.at(key, revision - 1)?.revision;
  if (expected !== undefined && before !== expected)
    errors.push(`${name} replaced ${before ?? 'nothing'}, but expected ${expected}`);
  return errors;
}

function refuses(reason: string, state: Version | undefined, expected: number | undefined): boolean {
  if (reason === 'NotFound') return state === undefined;
  return reason === 'AlreadyExists' ? state !== undefined : state?.revision !== expected;
}

function readErrors(read: Read, { log, time }: Facts): string[] {
  const states = log.between(read.key, ...time.window(read, log));
  if (states.some((state) => isSame(state, read.found))) return [];
  return [
    `${read.client} read ${versionText(read.found)} of ${read.key}, but ${states.map(versionText).join(', ')} was there`,
  ];
}

function listErrors(list: List, { log, time }: Facts): string[] {
  const { client, revision, items, notOlderThan } = list;
  const [reached, possible] = time.window(list, log);
  const oldest = notOlderThan ?? reached;
  const errors: string[] = [];
  if (revision < oldest || revision > possible)
    errors.push(`${client} listed revision ${revision}, which is not between ${oldest} and ${possible}`);
  const expected = log.objectsAt(revision);
  for (const key of new Set([...expected.keys(), ...items.keys()])) {
    const [found, wanted] = [items.get(key), expected.get(key)];
    if (!isSame(found, wanted))
      errors.push(
        `${client} listed ${versionText(found)} of ${key} at ${revision}, but ${versionText(wanted)} was there`,
      );
  }
  return errors;
}

function watchErrors({ client, from, received }: Watch, log: ChangeLog): string[] {
  const errors: string[] = [];
  let last = from;
  for (const { type, revision } of received) {
    if (type === 'BOOKMARK' ? revision < last : revision <= last)
      errors.push(`${client} received ${type} at ${revision} after ${last}`);
    last = Math.max(last, revision);
  }
  const seen = new Set(received.flatMap((event) => (event.type === 'BOOKMARK' ? [] : [event.revision])));
  const missed = log.after(from, last).filter(({ revision }) => !seen.has(revision));
  return [
    ...errors,
    ...missed.map((event) => `${client} watched from ${from} to ${last}, but missed ${textOf(event)}`),
  ];
}

const isSame = (a: Version | undefined, b: Version | undefined): boolean =>
  a?.revision === b?.revision && a?.value === b?.value;

const versionText = (version: Version | undefined): string =>
  version === undefined ? 'nothing' : `${version.value} at ${version.revision}`;
