import type { Logger, Metrics } from '@annex/runtime';
import type { RequestContext } from '@annex/kinds';
import { requestMeasurements } from '../request-measurements.ts';
import type { Step } from '../step.ts';
import type { TraceLog } from '../trace/trace-log.ts';

/** Remembers the trace of each request; one log line and one measurement when its answer is complete. */
export const recordRequest = (deps: { log: Logger; metrics: Metrics; traces: TraceLog }): Step => {
  const measurementsOf = requestMeasurements(deps.metrics);
  return {
    name: 'recordRequest',
    run(ctx, next) {
      const { trace } = ctx;
      deps.traces.add(trace);
      ctx.res.on('close', () => {
        trace.code = ctx.res.statusCode;
        trace.ms = performance.now() - trace.startedAt;
        const seconds = trace.ms / 1000;
        measurementsOf(ctx).answered(trace.code, ctx.info.verb === 'watch' ? undefined : seconds);
        logRequest(deps.log, ctx, seconds);
        deps.traces.finish(trace);
      });
      return next(ctx);
    },
  };
};

function logRequest(log: Logger, ctx: RequestContext, seconds: number): void {
  if (!log.isEnabled('info')) return;
  log.info('request', {
    auditId: ctx.auditId,
    method: ctx.req.method,
    path: ctx.path,
    verb: ctx.info.verb,
    user: ctx.user.name,
    ...(ctx.impersonator ? { impersonator: ctx.impersonator.name } : {}),
    code: ctx.res.statusCode,
    ms: Math.round(seconds * 10_000) / 10,
  });
}
