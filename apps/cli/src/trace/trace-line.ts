import type { TraceView } from '@annex/server';

/** A request on one line: when, how it ended, who, what, why it was refused, and the audit id to ask further with. */
export function traceLine(trace: TraceView): string {
  const { auditID, authorization, durationMs, forward, receivedAt, request, response } = trace;
  const { user } = trace.impersonation ?? trace.authentication;
  const parts = [
    receivedAt.slice(11, 23),
    String(response?.code ?? '...'),
    durationMs === undefined ? 'running' : `${durationMs.toFixed(1)} ms`,
    user?.name ?? '(nobody)',
    request.method,
    request.url,
    ...(forward ? [`to ${forward.apiService}`] : []),
    ...(authorization && authorization.decision !== 'allow' ? ['not allowed'] : []),
    `[${auditID}]`,
  ];
  return parts.join('  ');
}
