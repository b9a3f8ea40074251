import type { TraceView } from '@annex/server';

/** Formats a request on one line: time, result, user, request, reason of a rejection, and the audit id. */
export function traceLine(trace: TraceView): string {
  const { auditID, authorization, durationMs, forward, receivedAt, request, response } = trace;
  const { user } = trace.impersonation ?? trace.authentication;
  const parts = [
    receivedAt.slice(11, 23),
    String(response?.code ?? '...'),
    durationMs === undefined ? 'running' : `${durationMs.toFixed(1)} ms`,
    user?.name ?? '(unknown user)',
    request.method,
    request.url,
    ...(forward ? [`to ${forward.apiService}`] : []),
    ...(authorization && authorization.decision !== 'allow' ? ['not allowed'] : []),
    `[${auditID}]`,
  ];
  return parts.join('  ');
}
