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
  /** The other threads of this process. */
  threads?: TracesOfThreads | undefined;
}

/** The traces of the other threads of a process. */
export interface TracesOfThreads {
  /** Requests the traces that a query selects: that of {@link tracesPath}. */
  list(query: string): Promise<TraceView[]>;
  /** Calls the listener for each request that another thread served. Returns a function that ends it. */
  follow(listener: (trace: TraceView) => void): () => void;
  /** Serves the traces of this thread to the others. */
  serve(list: TracesOfThreads['list'], follow: FollowTraces): void;
}

/** Calls the listener for each request that was served. Returns a function that ends it. */
export type FollowTraces = (listener: (trace: TraceView) => void) => () => void;

/** Serves the traces of this thread to the other ones of the process. */
export function serveTracesToThreads({ authorizer, threads, traces }: TracePathsOptions): void {
  threads?.serve(
    (text) => {
      const query = parseQuery(text);
      return viewsOf(traces.all().filter(traceQuery(query).matches), query, authorizer);
    },
    (listener) => traces.follow((trace) => listener(briefView(trace))),
  );
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
  if (isTrue(request.query.get('watch'))) return follow(request, options);
  const { matches } = traceQuery(request.query);
  const own = options.traces.all().filter((trace) => trace !== request.trace && matches(trace));
  const [views, others = []] = await Promise.all([
    viewsOf(own, request.query, options.authorizer),
    options.threads?.list(request.req.url?.split('?', 2)[1] ?? ''),
  ]);
  sendJson(request, 200, { traces: others.length === 0 ? views : newest([...views, ...others], options) });
}

/** Returns as many traces as one thread keeps, the oldest first. */
const newest = (views: readonly TraceView[], { traces }: TracePathsOptions): TraceView[] =>
  views.toSorted((a, b) => (a.receivedAt < b.receivedAt ? -1 : 1)).slice(-traces.capacity);

const isTrue = (value: string | undefined): boolean => value !== undefined && /^(?:1|t|true)$/i.test(value);

/**
 * With `full`, the explanations of each authorization are included, which evaluates every rule of its user.
 */
const viewsOf = (
  traces: readonly DecisionTrace[],
  query: Query,
  authorizer: Authorizer,
): Promise<TraceView[]> => {
  const full = isTrue(query.get('full'));
  return Promise.all(traces.map((trace) => (full ? traceView(trace, authorizer) : briefView(trace))));
};

/** What the filters of a query look at. */
interface Filtered {
  auditId: string;
  /** Milliseconds since the epoch. */
  receivedAt: number;
  user: string | undefined;
  isReview: boolean;
}

const filteredTrace = ({ auditId, receivedAt, review, user }: DecisionTrace): Filtered => ({
  auditId,
  receivedAt,
  user: user?.name,
  isReview: review !== undefined,
});

const filteredView = ({ auditID, authentication, receivedAt, review }: TraceView): Filtered => ({
  auditId: auditID,
  receivedAt: Date.parse(receivedAt),
  user: authentication.user?.name,
  isReview: review !== undefined,
});

/** The filters of a query: `auditID`, `user`, `since` and `until` in milliseconds since the epoch, `reviews`. */
function traceQuery(query: Query) {
  const auditId = query.get('auditID');
  const user = query.get('user');
  const since = Number(query.get('since') ?? 0);
  const until = Number(query.get('until') ?? Infinity);
  const onlyReviews = isTrue(query.get('reviews'));
  const selects = (trace: Filtered) =>
    trace.receivedAt >= since &&
    trace.receivedAt <= until &&
    (auditId === undefined || trace.auditId === auditId) &&
    (user === undefined || trace.user === user) &&
    (!onlyReviews || trace.isReview);
  return {
    matches: (trace: DecisionTrace) => selects(filteredTrace(trace)),
    matchesView: (trace: TraceView) => selects(filteredView(trace)),
  };
}

async function sendOne(request: RequestContext, options: TracePathsOptions, auditId: string): Promise<void> {
  const known = options.traces.all();
  const query = `auditID=${encodeURIComponent(auditId)}&full=true`;
  const found = known.filter((trace) => trace.auditId === auditId);
  const [own, others = []] = await Promise.all([
    Promise.all(found.map((trace) => traceView(trace, options.authorizer))),
    options.threads?.list(query),
  ]);
  if (own.length + others.length === 0) throw notFound({ group: '', resource: 'traces' }, auditId);
  const same = await options.elsewhere?.(query);
  const traces = [...own, ...others].map(async (view) => {
    const reviews = view.forward ? await reviewsDuring(view, known, options) : [];
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
  { durationMs, receivedAt }: TraceView,
  known: readonly DecisionTrace[],
  { elsewhere, threads }: TracePathsOptions,
): Promise<TraceView[]> {
  const since = Date.parse(receivedAt);
  const until = durationMs === undefined ? Date.now() : Math.ceil(since + durationMs);
  const query = `reviews=true&since=${since}&until=${until}`;
  const here = known.filter(traceQuery(parseQuery(query)).matches).map(briefView);
  return [...here, ...((await threads?.list(query)) ?? []), ...((await elsewhere?.(query)) ?? [])];
}

/** Streams each served request until the client disconnects or the server stops. */
function follow(request: RequestContext, { threads, traces }: TracePathsOptions): Promise<void> {
  const { res, stopping } = request;
  const { matches, matchesView } = traceQuery(request.query);
  sendHead(request, 200, 'application/json');
  return new Promise((resolve) => {
    const send = (trace: TraceView) => {
      // Traces are dropped for a client that reads slowly, so that nothing is buffered.
      if (!res.writableNeedDrain) res.write(`${stringifyJson(trace)}\n`);
    };
    const stops = [
      traces.follow((trace) => matches(trace) && send(briefView(trace))),
      threads?.follow((trace) => matchesView(trace) && send(trace)),
    ];
    const end = () => res.end();
    stopping.addEventListener('abort', end, { once: true });
    if (stopping.aborted) end();
    res.once('close', () => {
      for (const stop of stops) stop?.();
      stopping.removeEventListener('abort', end);
      resolve();
    });
  });
}
