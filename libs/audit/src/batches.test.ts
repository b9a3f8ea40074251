import { FakeClock } from '@annex/testkit';
import { expect, it } from 'vitest';
import { AuditEvent } from './audit-event.ts';
import { batched } from './batches.ts';
import { truncating } from './sinks.ts';
import { eventListSender } from './webhook-sink.ts';

const event = (id: number, objects = {}) =>
  new AuditEvent(
    { auditID: String(id) },
    { at: 0 },
    { requestObject: undefined, responseObject: undefined, ...objects },
  );
const ids = (events: readonly AuditEvent[]) =>
  events.map((one) => (JSON.parse(one.json()) as { auditID: string }).auditID);

function gathering(limits: Partial<Parameters<typeof batched>[0]> = {}) {
  const clock = new FakeClock();
  const sent: string[][] = [];
  const lost: number[] = [];
  const sink = batched(
    { bufferSize: 100, maxSize: 3, maxWaitMs: 1000, ...limits },
    clock,
    (events) => {
      sent.push(ids(events));
      return Promise.resolve();
    },
    (_error, count) => void lost.push(count),
  );
  return { clock, sent, lost, sink };
}

it('sends a full list immediately, and others after the maximum wait', async () => {
  const { clock, sent, sink } = gathering();
  for (const id of [1, 2, 3, 4]) sink.write(event(id));
  await clock.advance(0);
  await clock.advance(999);
  expect(sent).toEqual([['1', '2', '3']]);
  await clock.advance(1);
  expect(sent).toEqual([['1', '2', '3'], ['4']]);
});

it('drops and reports events beyond the buffer', () => {
  const { sink, lost } = gathering({ bufferSize: 2, maxSize: 10 });
  expect([1, 2, 3].map((id) => sink.write(event(id)))).toEqual([true, true, false]);
  expect(lost).toEqual([1]);
});

it('throttles lists', async () => {
  const { clock, sent, sink } = gathering({ maxSize: 1, throttle: { qps: 2, burst: 2 } });
  for (const id of [1, 2, 3, 4]) sink.write(event(id));
  await clock.advance(0);
  expect(sent.flat()).toEqual(['1', '2']);
  await clock.advance(500);
  expect(sent.flat()).toEqual(['1', '2', '3']);
  await clock.advance(500);
  expect(sent.flat()).toEqual(['1', '2', '3', '4']);
});

it('sends waiting events when it is closed', async () => {
  const { sent, sink } = gathering();
  sink.write(event(1));
  await sink.close();
  expect(sent).toEqual([['1']]);
});

it('removes the objects of an event that is too large, and drops it if it is still too large', () => {
  const written: string[] = [];
  let lost = 0;
  const write = (one: AuditEvent) => written.push(one.json()) > 0;
  const sink = truncating({ write, close: () => Promise.resolve() }, 100, () => lost++);
  const long = JSON.stringify('x'.repeat(100));
  expect(sink.write(event(1, { requestObject: long }))).toBe(true);
  expect(written).toEqual(['{"auditID":"1","at":0,"annotations":{"audit.k8s.io/truncated":"true"}}']);
  expect(sink.write(event(10 ** 60))).toBe(true);
  expect(
    sink.write(
      new AuditEvent({ auditID: long }, { at: 0 }, { requestObject: undefined, responseObject: undefined }),
    ),
  ).toBe(false);
  expect(lost).toBe(1);
});

it('sends a list of events, splits large lists, and retries after failures', async () => {
  const clock = new FakeClock();
  const bodies: string[] = [];
  let status = 500;
  const client = {
    send: ({ body }: { body?: unknown }) => {
      bodies.push(String(body));
      return Promise.resolve({ status, headers: {}, body: Buffer.alloc(0) });
    },
  };
  const send = eventListSender({ client, clock, initialBackoffMs: 1000, maxBatchBytes: 30 });
  const sending = send([event(1), event(2)]);
  await clock.advance(0);
  await clock.advance(999);
  expect(bodies).toHaveLength(1);
  status = 200;
  await clock.advance(1);
  await sending;
  const list = (id: number) =>
    `{"kind":"EventList","apiVersion":"audit.k8s.io/v1","metadata":{},"items":[{"auditID":"${id}","at":0}]}\n`;
  expect(bodies).toEqual([list(1), list(1), list(2)]);
});
