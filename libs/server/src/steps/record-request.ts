import type { Clock, Logger, Metrics } from '@annex/runtime';
import type { RequestContext } from '../context.ts';
import type { Step } from '../step.ts';
import type { TraceLog } from '../trace/trace-log.ts';

/** Remembers the trace of each request; one log line and one measurement when its answer is complete. */
export const recordRequest = (deps: {
  clock: Clock;
  log: Logger;
  metrics: Metrics;
  traces: TraceLog;
}): Step => {
  const count = deps.metrics.counter('apiserver_request_total', 'Requests by verb, resource and code.', [
    'verb',
    'group',
    'version',
    'resource',
    'subresource',
    'code',
  ]);
  const duration = deps.metrics.histogram(
    'apiserver_request_duration_seconds',
    'Seconds until the answer was complete, without watches.',
    ['verb', 'group', 'version', 'resource', 'subresource'],
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  );
  return {
    name: 'recordRequest',
    run(ctx, next) {
      const { trace } = ctx;
      deps.traces.add(trace);
      ctx.res.once('close', () => {
        trace.code = ctx.res.statusCode;
        trace.ms = performance.now() - trace.startedAt;
        const seconds = trace.ms / 1000;
        const labels = measuredLabels(ctx);
        count.inc({ ...labels, code: ctx.res.statusCode });
        if (ctx.info.verb !== 'watch') duration.observe(labels, seconds);
        logRequest(deps.log, ctx, seconds);
        deps.traces.finish(trace);
      });
      return next();
    },
  };
};

// kube counts by what the verbs are in HTTP.
const measuredVerbs: Readonly<Record<string, string>> = {
  get: 'GET',
  list: 'LIST',
  watch: 'WATCH',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  deletecollection: 'DELETECOLLECTION',
  post: 'POST',
  put: 'PUT',
};

/** Paths and methods are the clients' words: only what exists here may become a label value. */
function measuredLabels({ info, kind }: RequestContext) {
  const { verb: asked, subresource } = info;
  const verb = Object.hasOwn(measuredVerbs, asked) ? (measuredVerbs[asked] as string) : 'other';
  if (kind === undefined) return { verb, group: '', version: '', resource: '', subresource: '' };
  const { group, version, resource, subresources } = kind;
  return {
    verb,
    group,
    version,
    resource,
    subresource: Object.hasOwn(subresources, subresource) ? subresource : '',
  };
}

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
