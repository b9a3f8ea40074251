import { stringifyJson } from '@annex/machinery';
import type { DecisionTrace } from '@annex/kinds';
import { briefView } from './trace-view.ts';

/** Longer than this no client has to take a header. */
export const maxTraceHeaderLength = 6 * 1024;

/** The header that tells a client that asked for it what was decided until the head of its answer left. */
export function traceHeaders(trace: DecisionTrace): Readonly<Record<string, string>> {
  if (trace.withheld !== undefined) return { 'Annex-Trace': asciiJson({ forbidden: trace.withheld }) };
  const whole = asciiJson(briefView(trace));
  if (whole.length <= maxTraceHeaderLength) return { 'Annex-Trace': whole };
  return { 'Annex-Trace': asciiJson({ auditID: trace.auditId, tooLong: whole.length }) };
}

/** JSON in the characters that a header may have. */
const asciiJson = (value: unknown): string =>
  stringifyJson(value).replace(
    /[\u007f-\uffff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
