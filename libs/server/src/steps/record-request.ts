import type { Clock, Logger, Metrics } from '@annex/runtime';
import type { RequestContext } from '../context.ts';
import type { Step } from '../step.ts';

/** One log line and one measurement for each request, when its answer is complete. */
export const recordRequest = (deps: { clock: Clock; log: Logger; metrics: Metrics }): Step => {
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
    ['verb', 'group', 'resource'],
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  );
  return {
    name: 'recordRequest',
    run(ctx, next) {
      const start = performance.now();
      ctx.res.once('close', () => {
        const seconds = (performance.now() - start) / 1000;
        const { verb, apiGroup: group, apiVersion: version, resource, subresource } = ctx.info;
        const code = String(ctx.res.statusCode);
        count.inc({ verb: measuredVerb(ctx), group, version, resource, subresource, code });
        if (verb !== 'watch') duration.observe({ verb: measuredVerb(ctx), group, resource }, seconds);
        logRequest(deps.log, ctx, seconds);
      });
      return next();
    },
  };
};

const knownVerbs = new Set([
  'get',
  'list',
  'watch',
  'create',
  'update',
  'patch',
  'delete',
  'deletecollection',
  'post',
  'put',
]);

// Methods are the client's words: only known ones may become label values.
const measuredVerb = (ctx: RequestContext): string =>
  knownVerbs.has(ctx.info.verb) ? ctx.info.verb : 'other';

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
