import type { IncomingMessage } from 'node:http';
import type { Attributes } from '@annex/auth';
import type { JsonObject } from '@annex/machinery';
import { systemClock } from '@annex/runtime';
import { expect, it } from 'vitest';
import { maxAuditUserAgentLength, RequestAudit } from './request-audit.ts';

/** Returns the events of the last two stages of a request. */
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

it('writes an annotation with its first value to all later events', () => {
  const events = written((audit) => {
    audit.annotate('a', '1');
    audit.annotate('a', '2');
  });
  expect(events).toEqual([
    { stage: 'ResponseStarted', annotations: { a: '1' } },
    { stage: 'ResponseComplete', annotations: { a: '1' } },
  ]);
});

it('writes annotations of the whole request only to the last event', () => {
  expect(written((audit) => audit.annotateLast('k8s.io/deprecated', 'true'))).toEqual([
    { stage: 'ResponseStarted' },
    { stage: 'ResponseComplete', annotations: { 'k8s.io/deprecated': 'true' } },
  ]);
});

it('truncates a user agent longer than maxAuditUserAgentLength', () => {
  const agentOf = (length: number) => {
    const agents: unknown[] = [];
    const sink = {
      write: (event: { json(): string }) =>
        agents.push((JSON.parse(event.json()) as JsonObject).userAgent) > 0,
      close: () => Promise.resolve(),
    };
    const headers = { 'user-agent': 'a'.repeat(length) };
    const audit = new RequestAudit(
      {
        req: { url: '/api', headers, socket: {} } as unknown as IncomingMessage,
        requestUri: '/api',
        auditId: 'one',
        receivedAt: 0,
      },
      { user: { name: 'ann', groups: [], extra: {} }, verb: 'get' } as unknown as Attributes,
      { level: 'Metadata', omitStages: new Set<never>(), omitManagedFields: false },
      { sink, clock: systemClock },
    );
    void audit.stage('ResponseComplete');
    return agents[0];
  };
  expect(agentOf(maxAuditUserAgentLength)).toBe('a'.repeat(1024));
  expect(agentOf(maxAuditUserAgentLength + 1)).toBe(`${'a'.repeat(1024)}...TRUNCATED`);
});
