import type { IncomingMessage, ServerResponse } from 'node:http';
import { createContext } from '@annex/kinds';
import { expect, it } from 'vitest';
import { maxTraceHeaderLength, traceHeaders } from './trace-header.ts';

it('a trace longer than maxTraceHeaderLength is replaced by its length', () => {
  const header = (extra: number) => {
    const req = { method: 'GET', url: '/', headers: {}, socket: {} };
    const { trace } = createContext(req as unknown as IncomingMessage, {} as ServerResponse, 0);
    trace.auditId = 'id';
    trace.code = 400;
    trace.refusal = { reason: 'BadRequest', message: 'x'.repeat(extra) };
    return traceHeaders(trace)['Annex-Trace'] ?? '';
  };
  const overhead = header(10).length - 10;
  expect(header(maxTraceHeaderLength - overhead)).toHaveLength(6144);
  expect(header(maxTraceHeaderLength - overhead + 1)).toBe('{"auditID":"id","tooLong":6145}');
});
