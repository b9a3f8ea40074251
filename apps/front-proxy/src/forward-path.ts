import { type Step, inSequence, sendBody, sendText } from '@annex/server';
import { Buffer } from 'node:buffer';
import {
  AbortedHandler,
  DialError,
  type Endpoint,
  MalformedResponse,
  type Outgoing,
  type Transport,
  exchange,
  backendCertificate,
  type BackendResponse,
} from '@annex/http';
import {
  type IdentityHeaderNames,
  type RemoteApiService,
  ResolveError,
  type ServiceResolver,
  type Transports,
  availableCondition,
} from '@annex/aggregation';
import type { RequestContext, ForwardTrace } from '@annex/kinds';
import { BadLocation, rewriteLocation } from './location.ts';
import { outgoingRequest } from './outgoing-request.ts';
import { streamResponse } from './stream-response.ts';

/** A request for an extension API server. Each step adds its results to the context of the next step. */
export interface ForwardRequest {
  readonly request: RequestContext;
  readonly apiService: RemoteApiService;
  readonly trace: ForwardTrace;
}

/** A request and its target: an extension API server, or an app of Annex in another process. */
export interface Target {
  readonly request: RequestContext;
  readonly transport: Transport;
  readonly endpoint: Endpoint;
  /** Present if the request is traced. */
  readonly trace?: ForwardTrace;
}

type ExtensionTarget = Target & ForwardRequest;
/** The request as it is sent to the target. */
type Prepared<T extends Target> = T & { readonly outgoing: Outgoing };
/** The response of the target, with an unread body. */
type Responded<T extends Target> = Prepared<T> & { readonly response: BackendResponse };

/** Dependencies of the forward path. */
export interface ForwardPathDeps {
  transports: Transports;
  resolver: ServiceResolver;
  identityHeaders: IdentityHeaderNames;
  /** Called when a server that is marked as available could not be reached. */
  unreachable(apiService: RemoteApiService): void;
}

const serviceUnavailable = (request: RequestContext): void => sendText(request, 503, 'service unavailable\n');

/** Responds with 503 while the APIService is not available. */
export const checkAvailability: Step<ForwardRequest> = {
  name: 'checkAvailability',
  run(ctx, next) {
    if (availableCondition(ctx.apiService)?.status === 'True') return next(ctx);
    serviceUnavailable(ctx.request);
  },
};

/** Resolves the address of the service for each request, so that changes of the service apply immediately. */
export const resolveEndpoint = (
  deps: Pick<ForwardPathDeps, 'resolver' | 'transports'>,
): Step<ForwardRequest, ExtensionTarget> => ({
  name: 'resolveEndpoint',
  run(ctx, next) {
    const { apiService, request, trace } = ctx;
    let transport: Transport;
    try {
      transport = deps.transports.of(apiService);
    } catch (error) {
      trace.error = (error as Error).message;
      return sendText(request, 500, `${trace.error}\n`);
    }
    let endpoint: Endpoint;
    try {
      endpoint = deps.resolver.resolve(apiService.spec.service);
    } catch (error) {
      if (!(error instanceof ResolveError)) throw error;
      trace.error = error.message;
      return serviceUnavailable(request);
    }
    return next({ request, apiService, trace, transport, endpoint });
  },
});

/** Builds the request for the target: path and query in Go's form, the user in identity headers. */
export const buildHeaders = <T extends Target>(names: IdentityHeaderNames): Step<T, Prepared<T>> => ({
  name: 'buildHeaders',
  run(ctx, next) {
    const { endpoint, request, trace, transport } = ctx;
    const outgoing = outgoingRequest(request, transport, endpoint, names);
    if (trace) {
      trace.endpoint = endpoint;
      trace.transport = transport;
      trace.headers = outgoing.headers;
    }
    return next({ ...ctx, outgoing });
  },
});

/** Sends the request. If the server cannot be reached, calls `failed` and responds with 503 and the reason as text. */
export const dial = <T extends Target>(
  failed: (ctx: Prepared<T>, error: DialError) => void,
): Step<Prepared<T>, Responded<T>> => ({
  name: 'dial',
  run(ctx, next) {
    const { outgoing, request, trace } = ctx;
    const began = performance.now();
    return exchange(outgoing).then(
      (response) => {
        if (trace) {
          trace.ms = performance.now() - began;
          trace.code = response.statusCode;
          trace.serverCertificate = response.socket && backendCertificate(response.socket);
        }
        return next({ ...ctx, response });
      },
      (error: Error) => {
        if (!(error instanceof DialError)) throw error;
        if (trace) {
          trace.ms = performance.now() - began;
          trace.error = error.message;
        }
        if (request.res.destroyed) return;
        failed(ctx, error);
        const text = outgoing.upgrade
          ? upgradeError(error)
          : `error trying to reach service: ${error.message}`;
        return sendText(request, 503, `${text}\n`);
      },
    );
  },
});

/** kube-apiserver parses upgrade responses without Go's transport, so their errors lack the transport's prefix. */
function upgradeError({ brokenOff, cause, message }: DialError): string {
  if (message === 'EOF' && brokenOff) return 'unexpected EOF';
  if (!(cause instanceof MalformedResponse)) return `error dialing backend: ${message}`;
  return message.replace(MalformedResponse.prefix, '');
}

const redirectRefused = 'the backend attempted to redirect this request, which is not permitted';

/** Passes the response on. Rejects redirects, because a client that follows one would send its credentials elsewhere. */
export const stream: Step<Responded<ExtensionTarget>> = {
  name: 'stream',
  run({ endpoint, outgoing, request, response }) {
    const { body, headers, statusCode } = response;
    let location: string | undefined;
    try {
      if (headers.get('location')) location = rewriteLocation(firstLocation(response), endpoint);
    } catch (error) {
      if (!(error instanceof BadLocation)) throw error;
      body.discard();
      const why = `Internal error occurred: error trying to parse Location header: ${error.message}`;
      return sendText(request, 503, `${why}\n`);
    }
    if (statusCode >= 300 && statusCode <= 399 && location && !outgoing.upgrade) {
      body.discard();
      return sendBody(request, 502, 'text/plain; charset=utf-8', Buffer.from(redirectRefused));
    }
    return streamResponse(request, response, outgoing, { location });
  },
};

function firstLocation({ headers }: BackendResponse): string {
  let first: string | undefined;
  headers.forEach((name, value) => {
    if (name === 'location') first ??= value;
  });
  return first ?? '';
}

/** Passes on the response of an app of Annex. Redirects are part of that API and point to this server. */
export const streamOwn: Step<Responded<Target>> = {
  name: 'stream',
  run: ({ outgoing, request, response }) => streamResponse(request, response, outgoing, { own: true }),
};

/** The forward path: the order below is the order of execution. */
export const forwardSteps = (deps: ForwardPathDeps): Step<ForwardRequest>[] =>
  inSequence(
    checkAvailability,
    resolveEndpoint(deps),
    buildHeaders<ExtensionTarget>(deps.identityHeaders),
    dial<ExtensionTarget>(({ apiService }) => deps.unreachable(apiService)),
    stream,
  );

/** The end of the same list, for apps of Annex in other processes: their URL is their endpoint. */
export const remoteSteps = (names: IdentityHeaderNames): Step<Target>[] =>
  inSequence(buildHeaders<Target>(names), dial<Target>(abortWhenBrokenOff), streamOwn);

/** Breaks off the client's response if an app of Annex does, as in one process: a 503 would say that the request was not executed. */
function abortWhenBrokenOff(_ctx: unknown, error: DialError): void {
  if (error.brokenOff) throw new AbortedHandler(error.message);
}
