import type { IncomingMessage, ServerResponse } from 'node:http';
import { createContext, type RequestContext } from '@annex/kinds';
import { expect, it } from 'vitest';
import { assignAuditId, maxAuditIdLength } from './assign-audit-id.ts';

function auditIdOf(sent: string | undefined): string {
  const req = { url: '/', method: 'GET', headers: { 'audit-id': sent }, socket: {} };
  const request: RequestContext = createContext(
    req as unknown as IncomingMessage,
    {} as unknown as ServerResponse,
    0,
  );
  void assignAuditId.run(request, () => undefined);
  return request.auditId;
}

const generated = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

it.each([
  ['without one', undefined, generated],
  ['with the longest audit ID', 'a'.repeat(maxAuditIdLength), /^a{64}$/],
  ['with one character more than maxAuditIdLength', 'a'.repeat(maxAuditIdLength + 1), generated],
  ['with characters that are not printable', 'a\u0001', generated],
])('a request %s has an audit ID', (_what, sent, expected) => {
  expect(auditIdOf(sent)).toMatch(expected);
});
