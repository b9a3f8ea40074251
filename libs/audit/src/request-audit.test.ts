import type { IncomingMessage } from 'node:http';
import type { Attributes } from '@annex/auth';
import { systemClock } from '@annex/runtime';
import { expect, it } from 'vitest';
import { RequestAudit } from './request-audit.ts';

/** What is written in the two last stages of a request. */
function written(note: (audit: RequestAudit) => void): { stage: string; annotations?: object }[] {
  const events: { stage: string; annotations?: object }[] = [];
  const sink = {
    write: (event: { json(): string }) => {
      events.push(JSON.parse(event.json()) as { stage: string });
      return true;
    },
    close: () => Promise.resolve(),
  };
  const req = { url: '/api', headers: {}, socket: {} } as IncomingMessage;
  const requested = { user: { name: 'ann', groups: [], extra: {} }, verb: 'get' } as unknown as Attributes;
  const decision = { level: 'Metadata', omitStages: new Set<never>(), omitManagedFields: false } as const;
  const audit = new RequestAudit(
    { req, requestUri: '/api', auditId: 'one', receivedAt: 0 },
    requested,
    decision,
    {
      sink,
      clock: systemClock,
    },
  );
  note(audit);
  void audit.stage('ResponseStarted');
  void audit.stage('ResponseComplete');
  return events.map(({ stage, annotations }) => ({ stage, ...(annotations ? { annotations } : {}) }));
}

it('writes an annotation in every event from then on, and its first value', () => {
  const events = written((audit) => {
    audit.annotate('a', '1');
    audit.annotate('a', '2');
  });
  expect(events).toEqual([
    { stage: 'ResponseStarted', annotations: { a: '1' } },
    { stage: 'ResponseComplete', annotations: { a: '1' } },
  ]);
});

it('writes what is known of the whole request in its last event alone', () => {
  expect(written((audit) => audit.annotateLast('k8s.io/deprecated', 'true'))).toEqual([
    { stage: 'ResponseStarted' },
    { stage: 'ResponseComplete', annotations: { 'k8s.io/deprecated': 'true' } },
  ]);
});
