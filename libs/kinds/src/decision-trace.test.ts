import type { Attributes } from '@annex/auth';
import type { HttpRequest } from '@annex/http';
import { expect, it } from 'vitest';
import {
  type AdmissionCall,
  maxTraceRights,
  maxTraceTextLength,
  startTrace,
  traceAdmission,
  traceRight,
} from './decision-trace.ts';

const newTrace = () =>
  startTrace({ method: 'GET', url: '/', headers: {} } as unknown as HttpRequest, 0, undefined);

it('the text of a webhook is truncated after maxTraceTextLength', () => {
  const trace = newTrace();
  for (const length of [maxTraceTextLength, maxTraceTextLength + 1]) {
    traceAdmission(trace, { name: 'w', outcome: 'x'.repeat(length) } as unknown as AdmissionCall);
  }
  expect(trace.admission?.map(({ outcome }) => outcome)).toEqual(['x'.repeat(2048), `${'x'.repeat(2048)}…`]);
});

it('permissions beyond maxTraceRights are not recorded', () => {
  const trace = newTrace();
  for (let i = 0; i <= maxTraceRights; i++) {
    traceRight(trace, { name: `g${i}` } as Attributes, { decision: 'allow', reason: '' });
  }
  expect(trace.impersonationRights).toHaveLength(32);
});
