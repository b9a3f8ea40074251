import type { Authorizer } from '@annex/auth';
import { notFound, parseQuery, type Query, stringifyJson } from '@annex/machinery';
import type { RequestContext, DecisionTrace } from '@annex/kinds';
import { requireGetRoute } from '../go-route.ts';
import { sendHead, sendJson } from '../respond.ts';
import type { Handler } from '../route.ts';
import type { TraceLog } from './trace-log.ts';
import { tracesPath } from './traces-path.ts';
import { briefView, traceView, type TraceView } from './trace-view.ts';
import { isReviewOf } from './trace-links.ts';

/** Dependencies of the trace paths. */
export interface TracePathsOptions {
  traces: TraceLog;
  /** Explains why a request is allowed. */
  authorizer: Authorizer;
  /** Requests the traces of the other processes; the query is that of {@link tracesPath}. */
  elsewhere?: (query: string) => Promise<TraceView[]>;
}

/** Returns the handler of the paths of the decision traces. */
export const traceHandler = ({ path }: RequestContext, options: TracePathsOptions): Handler | undefined =>
  path === tracesPath || path.startsWith(`${tracesPath}/`)
    ? (request) => sendTraces(request, options)
    : undefined;

async function sendTraces(request: RequestContext, options: TracePathsOptions): Promise<void> {
  const { path } = request;
  requireGetRoute(request, ['application/json']);
  if (path !== tracesPath) return sendOne(request, options, path.slice(tracesPath.length + 1));
  if (isTrue(request.query.get('watch'))) return follow(request, options.traces);
  const { matches } = traceQuery(request.query);
  const traces = options.traces.all().filter((trace) => trace !== request.trace && matches(trace));
  sendJson(request, 200, {
    traces: await Promise.all(traces.map((trace) => viewOf(trace, request, options))),
  });
}

const isTrue = (value: string | undefined): boolean => value !== undefined && /^(?:1|t|true)$/i.test(value);

/**
 * With `full`, the explanations of each authorization are included, which evaluates every rule of its user.
 */
const viewOf = (trace: DecisionTrace, request: RequestContext, { authorizer }: TracePathsOptions) =>
  isTrue(request.query.get('full')) ? traceView(trace, authorizer) : briefView(trace);

/** The filters of a query: `auditID`, `user`, `since` and `until` in milliseconds since the epoch, `reviews`. */
function traceQuery(query: Query): { matches(trace: DecisionTrace): boolean } {
  const auditId = query.get('auditID');
  const user = query.get('user');
  const since = Number(query.get('since') ?? 0);
  const until = Number(query.get('until') ?? Infinity);
  const onlyReviews = isTrue(query.get('reviews'));
  return {
    matches: (trace) =>
      trace.receivedAt >= since &&
      trace.receivedAt <= until &&
      (auditId === undefined || trace.auditId === auditId) &&
      (user === undefined || trace.user?.name === user) &&
      (!onlyReviews || trace.review !== undefined),
  };
}

async function sendOne(request: RequestContext, options: TracePathsOptions, auditId: string): Promise<void> {
  const known = options.traces.all();
  const found = known.filter((trace) => trace.auditId === auditId);
  if (found.length === 0) throw notFound({ group: '', resource: 'traces' }, auditId);
  const same = await options.elsewhere?.(`auditID=${encodeURIComponent(auditId)}&full=true`);
  const traces = found.map(async (trace) => {
    const view = await traceView(trace, options.authorizer);
    const reviews = trace.forward ? await reviewsDuring(trace, known, options) : [];
    const about = reviews.filter((review) => isReviewOf(review, view));
    return {
      ...view,
      ...(about.length > 0 ? { reviews: about } : {}),
      ...(same?.length ? { elsewhere: same } : {}),
    };
  });
  sendJson(request, 200, { traces: await Promise.all(traces) });
}

/**
 * Returns the SubjectAccessReviews with the same attributes, of this and the other processes, that were sent
 * while a request ran.
 */
async function reviewsDuring(
  { ms, receivedAt: since, startedAt }: DecisionTrace,
  known: readonly DecisionTrace[],
  { elsewhere }: TracePathsOptions,
): Promise<TraceView[]> {
  const until = Math.ceil(since + (ms ?? performance.now() - startedAt));
  const query = `reviews=true&since=${since}&until=${until}`;
  const here = known.filter(traceQuery(parseQuery(query)).matches).map(briefView);
  return [...here, ...((await elsewhere?.(query)) ?? [])];
}

/** Streams each served request until the client disconnects or the server stops. */
function follow(request: RequestContext, traces: TraceLog): Promise<void> {
  const { res, stopping } = request;
  const { matches } = traceQuery(request.query);
  sendHead(request, 200, 'application/json');
  return new Promise((resolve) => {
    const stop = traces.follow((trace) => {
      // Traces are dropped for a client that reads slowly, so that nothing is buffered.
      if (matches(trace) && !res.writableNeedDrain) res.write(`${stringifyJson(briefView(trace))}\n`);
    });
    const end = () => res.end();
    stopping.addEventListener('abort', end, { once: true });
    if (stopping.aborted) end();
    res.once('close', () => {
      stop();
      stopping.removeEventListener('abort', end);
      resolve();
    });
  });
}
