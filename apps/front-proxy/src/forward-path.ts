import {
  AbortedHandler,
  type Answer,
  DialError,
  type Endpoint,
  MalformedAnswer,
  type Outgoing,
  type Transport,
  exchange,
  shownCertificate,
} from '@annex/http';
import {
  type IdentityHeaderNames,
  type RemoteApiService,
  ResolveError,
  type ServiceResolver,
  type Transports,
  availableCondition,
} from '@annex/aggregation';
import { type Step, sendBody, sendText } from '@annex/server';
import type { RequestContext, ForwardTrace } from '@annex/kinds';
import { Buffer } from 'node:buffer';
import { BadLocation, rewriteLocation } from './location.ts';
import { outgoingRequest } from './outgoing-request.ts';
import { streamAnswer } from './stream-answer.ts';

/** What is known of a request that is forwarded; filled by the steps, in their order. */
export interface ForwardContext {
  readonly request: RequestContext;
  apiService?: RemoteApiService;
  transport?: Transport;
  endpoint?: Endpoint;
  outgoing?: Outgoing;
  answer?: Answer;
}

/** What the steps of the forward path need. */
export interface ForwardPathDeps {
  /** The APIService with a service that owns the path of a request; `undefined` where the path is served here. */
  match(ctx: RequestContext): RemoteApiService | undefined;
  /** Answers what no service is registered for. */
  local(ctx: RequestContext): Promise<void> | void;
  transports: Transports;
  resolver: ServiceResolver;
  identityHeaders: IdentityHeaderNames;
  /** Told when a server that counted as available could not be reached. */
  unreachable(apiService: RemoteApiService): void;
}

type ForwardStep = Step<ForwardContext>;

const serviceUnavailable = (ctx: RequestContext): void => sendText(ctx, 503, 'service unavailable\n');

/** Decides who answers: an extension server goes on with the list, everything else is answered here. */
export const matchApiService = (deps: Pick<ForwardPathDeps, 'match' | 'local'>): ForwardStep => ({
  name: 'matchApiService',
  run(ctx, next) {
    ctx.apiService = deps.match(ctx.request);
    if (ctx.apiService === undefined) return deps.local(ctx.request);
    ctx.request.trace.forward = { apiService: ctx.apiService };
    return next(ctx);
  },
});

/** Answers 503 while the APIService is not known to be available. */
export const checkAvailability: ForwardStep = {
  name: 'checkAvailability',
  run(ctx, next) {
    const condition = ctx.apiService && availableCondition(ctx.apiService);
    if (condition?.status === 'True') return next(ctx);
    serviceUnavailable(ctx.request);
  },
};

/** Finds the address of the service, anew for each request: changes of the service count at once. */
export const resolveEndpoint = (deps: Pick<ForwardPathDeps, 'resolver' | 'transports'>): ForwardStep => ({
  name: 'resolveEndpoint',
  run(ctx, next) {
    const apiService = ctx.apiService as RemoteApiService;
    const trace = ctx.request.trace.forward as ForwardTrace;
    try {
      ctx.transport = deps.transports.of(apiService);
    } catch (error) {
      trace.error = (error as Error).message;
      return sendText(ctx.request, 500, `${(error as Error).message}\n`);
    }
    try {
      ctx.endpoint = deps.resolver.resolve(apiService.spec.service);
    } catch (error) {
      if (!(error instanceof ResolveError)) throw error;
      trace.error = error.message;
      return serviceUnavailable(ctx.request);
    }
    return next(ctx);
  },
});

/** Writes the request as the backend gets it: path and query in Go's form, the user in identity headers. */
export const buildHeaders = (names: IdentityHeaderNames): ForwardStep => ({
  name: 'buildHeaders',
  run(ctx, next) {
    const transport = ctx.transport as Transport;
    const endpoint = ctx.endpoint as Endpoint;
    ctx.outgoing = outgoingRequest(ctx.request, transport, endpoint, names);
    const { forward } = ctx.request.trace;
    if (forward) {
      forward.endpoint = endpoint;
      forward.transport = transport;
      forward.headers = ctx.outgoing.headers;
    }
    return next(ctx);
  },
});

/** Sends the request; a backend that cannot be reached is 503 with the reason as text. */
export const dial = (unreachable?: ForwardPathDeps['unreachable']): ForwardStep => ({
  name: 'dial',
  run(ctx, next) {
    const began = performance.now();
    const { forward } = ctx.request.trace;
    return exchange(ctx.outgoing as Outgoing).then(
      (answer) => {
        ctx.answer = answer;
        if (forward) {
          forward.ms = performance.now() - began;
          forward.code = answer.statusCode;
          forward.serverCertificate = answer.socket && shownCertificate(answer.socket);
        }
        return next(ctx);
      },
      (error: Error) => {
        if (!(error instanceof DialError)) throw error;
        if (forward) {
          forward.ms = performance.now() - began;
          forward.error = error.message;
        }
        if (ctx.request.res.destroyed) return;
        if (ctx.apiService) unreachable?.(ctx.apiService);
        // What an app of our own breaks off ends for the client as it does in one process: 503 would say that nothing was done.
        else if (error.brokenOff) throw new AbortedHandler(error.message);
        const text = ctx.outgoing?.upgrade
          ? upgradeError(error)
          : `error trying to reach service: ${error.message}`;
        return sendText(ctx.request, 503, `${text}\n`);
      },
    );
  },
});

/** kube-apiserver reads the answer to an upgrade by itself: what is wrong with that is not in the words of Go's transport. */
function upgradeError({ brokenOff, cause, message }: DialError): string {
  if (message === 'EOF' && brokenOff) return 'unexpected EOF';
  if (!(cause instanceof MalformedAnswer)) return `error dialing backend: ${message}`;
  return message.replace(MalformedAnswer.prefix, '');
}

const redirectRefused = 'the backend attempted to redirect this request, which is not permitted';

/** Passes the answer on as it comes. A redirect is refused: it would carry the client's credentials elsewhere. */
export const stream: ForwardStep = {
  name: 'stream',
  run(ctx) {
    const answer = ctx.answer as Answer;
    const { body, headers, statusCode } = answer;
    let location: string | undefined;
    try {
      if (headers.get('location'))
        location = rewriteLocation(firstLocation(answer), ctx.endpoint as Endpoint);
    } catch (error) {
      if (!(error instanceof BadLocation)) throw error;
      body.discard();
      const why = `Internal error occurred: error trying to parse Location header: ${error.message}`;
      return sendText(ctx.request, 503, `${why}\n`);
    }
    if (statusCode >= 300 && statusCode <= 399 && location && !ctx.outgoing?.upgrade) {
      body.discard();
      return sendBody(ctx.request, 502, 'text/plain; charset=utf-8', Buffer.from(redirectRefused));
    }
    return streamAnswer(ctx.request, answer, ctx.outgoing as Outgoing, { location });
  },
};

function firstLocation({ headers }: Answer): string {
  let first: string | undefined;
  headers.forEach((name, value) => {
    if (name === 'location') first ??= value;
  });
  return first ?? '';
}

/** Passes on the answer of an app of our own: a redirect is a part of the API there, and means this server. */
export const streamOwn: ForwardStep = {
  name: 'stream',
  run: (ctx) => streamAnswer(ctx.request, ctx.answer as Answer, ctx.outgoing as Outgoing, { own: true }),
};

/** The forward path: the order below is the order of execution. */
export const forwardSteps = (deps: ForwardPathDeps): ForwardStep[] => [
  matchApiService(deps),
  checkAvailability,
  resolveEndpoint(deps),
  buildHeaders(deps.identityHeaders),
  dial(deps.unreachable),
  stream,
];

/** The end of the same list, for apps of our own in other processes: they are always where their URL says. */
export const remoteSteps = (names: IdentityHeaderNames): ForwardStep[] => [
  buildHeaders(names),
  dial(),
  streamOwn,
];
