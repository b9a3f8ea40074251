import { createMetrics, nullLogger } from '@annex/runtime';
import { FakeClock } from '@annex/testkit';
import { expect, it } from 'vitest';
import type { Api } from './api.ts';
import { EventWriter, maxWaitingEvents } from './event-writer.ts';

const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web', namespace: 'ns', uid: 'u' } };
const event = { type: 'Normal', reason: 'Started', message: 'Container started', container: 'c' };

function writer(json: (request: { body: object }) => Promise<unknown>) {
  const writes = createMetrics().counter('writes', 'Writes.', ['what']);
  return new EventWriter({ json } as unknown as Api, { clock: new FakeClock(), log: nullLogger, writes });
}

it('writes events as a kubelet does', async () => {
  const written = Promise.withResolvers<object>();
  writer(async ({ body }) => written.resolve(body)).write(pod, 'node-0', event);
  expect(await written.promise).toMatchObject({
    involvedObject: { kind: 'Pod', namespace: 'ns', name: 'web', uid: 'u', fieldPath: 'spec.containers{c}' },
    reason: 'Started',
    source: { component: 'kubelet', host: 'node-0' },
    reportingComponent: 'kubelet',
    count: 1,
  });
});

it('drops events beyond its limit, and continues after failures', async () => {
  let [written, fail] = [0, true];
  const opened = Promise.withResolvers<void>();
  const one = writer(async () => {
    await opened.promise;
    written++;
    if (fail) throw new Error('refused');
  });
  // Four are being written while the others wait.
  for (let index = 0; index < maxWaitingEvents + 100; index++) one.write(pod, 'node-0', event);
  fail = false;
  opened.resolve();
  await new Promise((resolve) => setTimeout(resolve));
  expect(written).toBe(maxWaitingEvents + 4);
});
