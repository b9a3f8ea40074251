import type { Logger, Metrics } from '@annex/runtime';
import type { RequestContext } from '@annex/kinds';
import { requestMeasurements } from '../request-measurements.ts';
import type { Step } from '../step.ts';
import type { TraceLog } from '../trace/trace-log.ts';

/** Keeps the trace of each request. Writes one log line and one measurement when its response is complete. */
export const recordRequest = (deps: { log: Logger; metrics: Metrics; traces: TraceLog }): Step => {
  const measurementsOf = requestMeasurements(deps.metrics);
  return {
    name: 'recordRequest',
    run(request, next) {
      const { trace } = request;
      deps.traces.add(trace);
      request.res.on('close', () => {
        trace.code = request.res.statusCode;
        trace.ms = performance.now() - trace.startedAt;
        const seconds = trace.ms / 1000;
        measurementsOf(request).responded(trace.code, request.info.verb === 'watch' ? undefined : seconds);
        logRequest(deps.log, request, seconds);
        deps.traces.finish(trace);
      });
      return next(request);
    },
  };
};

function logRequest(log: Logger, request: RequestContext, seconds: number): void {
  if (!log.isEnabled('info')) return;
  log.info('request', {
    auditId: request.auditId,
    method: request.req.method,
    path: request.path,
    verb: request.info.verb,
    user: request.user.name,
    ...(request.impersonator ? { impersonator: request.impersonator.name } : {}),
    code: request.res.statusCode,
    ms: Math.round(seconds * 10_000) / 10,
  });
}
