import { getOwn } from '@annex/machinery';
import type { Buffer } from 'node:buffer';
import { pipeline } from 'node:stream/promises';
import { setTimeout } from 'node:timers/promises';
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { reasonPhrase } from './reason-phrase.ts';
import {
  AbortedHandler,
  type BackendResponse,
  type HttpResponse,
  type Outgoing,
  headerObject,
  hopByHopHeaders,
  listedNames,
  refuseRest,
} from '@annex/http';
import type { RequestContext } from '@annex/kinds';
import { endWhole, isStream, sendText, traceHeaders, warningHeaders } from '@annex/server';
import { isNotForwarded } from '@annex/aggregation';
import { passBody } from './pass-body.ts';

const noCache = 'no-cache, private';

/** Options of a response that is passed on. */
export interface ResponseOptions {
  /** The response is of an app of Annex, which sets all headers. */
  own?: boolean;
  /** Replaces the location that the backend sent. */
  location?: string | undefined;
}

/** Passes a backend's response to the client, chunk by chunk, at the speed at which the client reads. Ends when either side ends. */
export function streamResponse(
  request: RequestContext,
  response: BackendResponse,
  outgoing: Outgoing,
  options: ResponseOptions = {},
): Promise<void> | void {
  const { body, statusCode: status, upgraded } = response;
  if (upgraded !== undefined) {
    if (outgoing.upgrade) return tunnel(request, response, response.socket as TLSSocket, upgraded);
    response.socket?.destroy();
    const to = JSON.stringify(response.headers.get('upgrade') ?? '');
    return sendText(request, 503, `backend tried to switch protocol ${to} when "" was requested\n`);
  }
  // Go's server cannot write such a status.
  if (status < 100) throw new AbortedHandler(`the backend responded with statuss ${status}`);
  if (status === 101) {
    body.discard();
    return sendText(
      request,
      503,
      'internal error: 101 switching protocols response with non-writable body\n',
    );
  }
  // Node's HTTP/2 rejects such statuses.
  if (status > 599 && request.req.httpVersionMajor === 2) {
    body.discard();
    return sendText(request, 502, `the backend responded with status ${status}\n`);
  }
  if (outgoing.upgrade && status < 400) {
    body.discard();
    return sendText(request, 503, `invalid upgrade response: status code ${status}\n`);
  }
  refuseRest(request);
  const head = responseHead(request, response, options);
  const { whole } = body;
  if (whole === undefined) return pass(response, request, () => writeHead(request, status, head));
  writeHead(request, status, head);
  return end(response, whole, request);
}

/** Returns the response headers for the client, names and values alternating. */
function responseHead(
  request: RequestContext,
  response: BackendResponse,
  options: ResponseOptions,
): readonly string[] {
  const { headers } = response;
  const list = ['audit-id', request.auditId];
  if (!options.own || headers.get('cache-control') === undefined) list.push('cache-control', noCache);
  for (const [name, value] of Object.entries(request.flowHeaders ?? {})) list.push(name, value);
  // Warnings of the request path precede those of the backend.
  for (const warning of warningHeaders(request)) list.push('warning', warning);
  const ends = isNotForwarded(headers.get('connection'));
  const isOmitted = omittedHeaders(request, response.statusCode);
  headers.forEach((name, value) => {
    if (ends(name) || isOmitted(name) || (options.own && name === 'audit-id')) return;
    if (name !== 'location' || options.location === undefined) list.push(name, value);
  });
  if (options.location !== undefined) list.push('location', options.location);
  // Go's transport also reads the HTTP/1.0 header Pragma.
  if (headers.get('pragma') === 'no-cache' && headers.get('cache-control') === undefined)
    list.push('cache-control', 'no-cache');
  if (request.req.method !== 'HEAD' && announcesTrailers(response))
    list.push('trailer', headers.get('trailer') as string);
  if (request.trace.requested) list.push(...Object.entries(traceHeaders(request.trace)).flat());
  return list;
}

const noBody = new Set(['content-length']);
const notModified = new Set(['content-length', 'content-type']);
const nothing = new Set<string>();

/**
 * Returns a filter of the headers that responses without a body do not have: RFC 9110 section 8.6, and those that Go's server leaves out of
 * a 304.
 */
function omittedHeaders({ req }: RequestContext, status: number): (name: string) => boolean {
  const names =
    status === 204 ? noBody : status === 304 && req.httpVersionMajor === 1 ? notModified : nothing;
  return (name) => names.has(name);
}

function writeHead({ req, res }: RequestContext, status: number, headers: readonly string[]): void {
  // HTTP/2 has no reason phrase, and requires values of one name as a list.
  if (req.httpVersionMajor !== 1) return void res.writeHead(status, headerObject(headers));
  (res as ServerResponse).writeHead(status, reasonPhrase(status), headers as string[]);
}

/** Sends a body that was received completely. */
function end(response: BackendResponse, whole: Buffer, request: RequestContext): void {
  if (request.req.method !== 'HEAD' && announcesTrailers(response)) passTrailers(response, request.res);
  endWhole(request, whole);
}

/** Passes on a body while it is received. Resolves when the client's side is closed. */
async function pass(
  response: BackendResponse,
  request: RequestContext,
  writeHead: () => void,
): Promise<void> {
  const { res, stopping } = request;
  const closed = new Promise<void>((resolve) => res.once('close', resolve));
  passBody({
    res,
    body: response.body,
    isHeld: response.headers.get('content-length') !== undefined,
    writeHead,
    beforeEnd() {
      if (request.req.method !== 'HEAD' && announcesTrailers(response)) passTrailers(response, res);
    },
  });
  if (!isStream(request)) return void (await closed);
  const end = () => res.end();
  stopping.addEventListener('abort', end, { once: true });
  if (stopping.aborted) end();
  await closed;
  stopping.removeEventListener('abort', end);
}

/** In HTTP/1.1, only bodies of unknown length can have trailers. */
const announcesTrailers = ({ headers }: BackendResponse): boolean =>
  headers.get('trailer') !== undefined && headers.get('content-length') === undefined;

/** Passes on the trailers that the response head announced. */
function passTrailers({ headers, body: { trailers } }: BackendResponse, res: HttpResponse): void {
  const announced = [...listedNames(headers.get('trailer'))].filter((name) => !hopByHopHeaders.has(name));
  const found = announced.flatMap((name) =>
    getOwn(trailers, name) === undefined ? [] : [[name, getOwn(trailers, name)]],
  );
  res.addTrailers(Object.fromEntries(found) as OutgoingHttpHeaders);
}

// Bytes that one side sent before it ended are still delivered. The other side has this time to end too.
const lingerMs = 5_000;

/** Connects the two sides of an upgraded connection, neither read faster than the other is written. They end together. */
async function tunnel(
  request: RequestContext,
  { statusCode, statusMessage, headers }: BackendResponse,
  backend: TLSSocket,
  head: Buffer,
): Promise<void> {
  const client = request.req.socket as Socket;
  (request.res as ServerResponse).detachSocket(client);
  let text = `HTTP/1.1 ${statusCode} ${statusMessage}\r\n`;
  headers.forEach((_, value, name) => (text += `${name}: ${value}\r\n`));
  client.setTimeout(0);
  client.write(`${text}\r\n`, 'latin1');
  if (head.length > 0) client.write(head);
  const end = () => client.destroy();
  request.stopping.addEventListener('abort', end, { once: true });
  const ways = [pipeline(client, backend), pipeline(backend, client)].map((way) =>
    way.catch(() => undefined),
  );
  await Promise.race(ways);
  await Promise.race([Promise.all(ways), setTimeout(lingerMs, undefined, { ref: false })]);
  request.stopping.removeEventListener('abort', end);
  client.destroy();
  backend.destroy();
}
