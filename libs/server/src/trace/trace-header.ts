import { stringifyJson } from '@annex/machinery';
import type { DecisionTrace } from '@annex/kinds';
import { briefView } from './trace-view.ts';

/** The maximum characters of the header. Clients need not accept longer headers. */
export const maxTraceHeaderLength = 6 * 1024;

/** Returns the header with the trace up to the response head, for a client that requested it. */
export function traceHeaders(trace: DecisionTrace): Readonly<Record<string, string>> {
  if (trace.withheld !== undefined) return { 'Annex-Trace': asciiJson({ forbidden: trace.withheld }) };
  const whole = asciiJson(briefView(trace));
  if (whole.length <= maxTraceHeaderLength) return { 'Annex-Trace': whole };
  return { 'Annex-Trace': asciiJson({ auditID: trace.auditId, tooLong: whole.length }) };
}

/** Formats JSON in ASCII, for a header. */
const asciiJson = (value: unknown): string =>
  stringifyJson(value).replace(
    /[\u007f-\uffff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
