import { forbidden, notFound } from '@annex/machinery';
import { nullLogger } from '@annex/runtime';
import { FakeClock } from '@annex/testkit';
import { describe, expect, it } from 'vitest';
import {
  eventFlushTimeoutMs,
  EventRecorder,
  maxEventTries,
  maxNoteBytes,
  maxRememberedSchedulerEvents,
  maxSchedulerEventsInFlight,
  type SchedulerEvent,
} from './event-recorder.ts';
import type { SchedulerApi } from './scheduler-api.ts';

interface Sent {
  method?: string;
  path: string;
  body: { note?: string; series?: { count: number }; related?: { name: string } };
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
const podNamed = (name: string, resourceVersion = '1') => ({
  metadata: { name, namespace: 'default', uid: name, resourceVersion },
});
const event = (more: Partial<SchedulerEvent> = {}): SchedulerEvent => ({
  regarding: podNamed('p'),
  type: 'Warning',
  reason: 'FailedScheduling',
  action: 'Scheduling',
  note: 'no',
  ...more,
});

/** A recorder, what it sends, and how the server responds. */
function recording(respond: (sent: Sent) => Promise<object> = () => Promise.resolve({})) {
  const sent: Sent[] = [];
  const clock = new FakeClock();
  const api = {
    json(request: Sent) {
      sent.push(request);
      return respond(request);
    },
  } as unknown as SchedulerApi;
  const recorder = new EventRecorder('mine', { api, clock, log: nullLogger });
  const written = () => sent.map(({ method, body }) => `${method} ${body.series?.count ?? 1}`);
  return { recorder, clock, sent, written };
}

describe('a repeated event', () => {
  it('is written at its first repetition, and with the final count when the series has ended', async () => {
    const { recorder, clock, sent, written } = recording();
    for (let i = 0; i < 5; i++) recorder.record(event({ note: `note ${i}` }));
    await settled();
    expect(written()).toEqual(['POST 1', 'PATCH 2']);
    expect(sent[0]?.body.note).toBe('note 0');
    await clock.advance(6 * 60_000);
    expect(written()).toEqual(['POST 1', 'PATCH 2', 'PATCH 5']);
    recorder.record(event());
    await settled();
    expect(written().at(-1)).toBe('POST 1');
  });

  it('is another one if the object has changed', async () => {
    const { recorder, written } = recording();
    recorder.record(event());
    recorder.record(event({ regarding: podNamed('p', '2') }));
    recorder.record(event({ related: podNamed('other') }));
    await settled();
    expect(written()).toEqual(['POST 1', 'POST 1', 'POST 1']);
  });

  it('is written every half an hour while the series continues', async () => {
    const { recorder, clock, written } = recording();
    for (let minute = 0; minute < 31; minute++) {
      recorder.record(event());
      await clock.advance(60_000);
    }
    expect(written()).toEqual(['POST 1', 'PATCH 2', 'PATCH 30']);
  });

  it('is created again if its time to live has ended', async () => {
    const { recorder, written } = recording(({ method }) =>
      method === 'PATCH'
        ? Promise.reject(notFound({ group: '', resource: 'events' }, 'p'))
        : Promise.resolve({}),
    );
    recorder.record(event());
    recorder.record(event());
    await settled();
    expect(written()).toEqual(['POST 1', 'PATCH 2', 'POST 2']);
  });
});

describe('a write', () => {
  it('is tried again while the server cannot be reached', async () => {
    const { recorder, clock, sent } = recording(() => Promise.reject(new Error('ECONNREFUSED')));
    recorder.record(event());
    for (let i = 0; i < 20; i++) await clock.advance(10_000);
    expect(sent).toHaveLength(maxEventTries);
  });

  it('is not tried again if the server refuses it', async () => {
    const refusal = forbidden({ group: '', resource: 'events' }, 'p', 'terminating');
    const { recorder, clock, sent } = recording(() => Promise.reject(refusal));
    recorder.record(event());
    await clock.advance(60_000);
    expect(sent).toHaveLength(1);
  });
});

describe('the end of a recorder', () => {
  it('writes the counts of series, and drops later events', async () => {
    const { recorder, written } = recording();
    for (let i = 0; i < 4; i++) recorder.record(event());
    await recorder.stop();
    recorder.record(event({ reason: 'Late' }));
    await settled();
    expect(written()).toEqual(['POST 1', 'PATCH 2', 'PATCH 4']);
  });

  it('does not wait longer for a server that does not respond', async () => {
    const { recorder, clock } = recording(() => new Promise(() => undefined));
    recorder.record(event());
    const stopped = recorder.stop();
    await clock.advance(eventFlushTimeoutMs);
    await stopped;
  });
});

it('events beyond those on their way are dropped', () => {
  const { recorder, sent } = recording(() => new Promise(() => undefined));
  for (let i = 0; i <= maxSchedulerEventsInFlight; i++)
    recorder.record(event({ regarding: podNamed(String(i)) }));
  return settled().then(() => expect(sent).toHaveLength(maxSchedulerEventsInFlight));
});

it('the oldest events are forgotten', async () => {
  const { recorder, written } = recording();
  for (let i = 0; i <= maxRememberedSchedulerEvents; i++) {
    recorder.record(event({ regarding: podNamed(String(i)) }));
    if (i % 500 === 0) await settled();
  }
  recorder.record(event({ regarding: podNamed('0') }));
  recorder.record(event({ regarding: podNamed('2') }));
  await settled();
  expect(written().slice(-2)).toEqual(['POST 1', 'PATCH 2']);
});

it('a note is cut, and the related object is named', async () => {
  const { recorder, sent } = recording();
  recorder.record(event({ note: 'é'.repeat(maxNoteBytes), related: podNamed('preemptor') }));
  await settled();
  const [{ body } = { body: {} as Sent['body'] }] = sent;
  expect(Buffer.byteLength(body.note ?? '')).toBe(maxNoteBytes);
  expect(body.related?.name).toBe('preemptor');
});
