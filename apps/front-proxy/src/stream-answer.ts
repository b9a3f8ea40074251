import type { Buffer } from 'node:buffer';
import { pipeline } from 'node:stream/promises';
import { setTimeout } from 'node:timers/promises';
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { nodeHttp } from '@annex/runtime';
import {
  AbortedHandler,
  type Answer,
  type Endpoint,
  type Outgoing,
  type RequestContext,
  answerHeaders,
  endWhole,
  hopByHopHeaders,
  hostPort,
  isStream,
  listedNames,
  refuseRest,
  sendText,
  traceHeaders,
  warningHeaders,
} from '@annex/server';
import { passBody } from './pass-body.ts';

const noCache = { 'cache-control': 'no-cache, private' };

/** Passes a backend's answer to the client, chunk by chunk, no faster than the client reads. Ends with either side. */
export function streamAnswer(
  ctx: RequestContext,
  answer: Answer,
  outgoing: Outgoing,
  options: { own?: boolean } = {},
): Promise<void> | void {
  const { body, statusCode: status, upgraded } = answer;
  if (upgraded !== undefined) {
    if (outgoing.upgrade) return tunnel(ctx, answer, answer.socket as TLSSocket, upgraded);
    answer.socket?.destroy();
    const to = JSON.stringify(answer.headers.upgrade ?? '');
    return sendText(ctx, 503, `backend tried to switch protocol ${to} when "" was requested\n`);
  }
  // Go's server has no way to say it.
  if (status < 100) throw new AbortedHandler(`the backend answered with status ${status}`);
  if (status === 101) {
    body.discard();
    return sendText(ctx, 503, 'internal error: 101 switching protocols response with non-writable body\n');
  }
  if (outgoing.upgrade && status < 400) {
    body.discard();
    return sendText(ctx, 503, `invalid upgrade response: status code ${status}\n`);
  }
  const headers = answerHeaders(answer.rawHeaders, answer.headers.connection);
  // RFC 9110 section 8.6: an answer that has no body has no length either.
  if (status === 204) delete headers['content-length'];
  refuseRest(ctx);
  const writeHead = () => {
    // HTTP/2 has no reason phrase.
    if (ctx.req.httpVersionMajor === 1)
      ctx.res.statusMessage = nodeHttp.STATUS_CODES[status] ?? `status code ${status}`;
    ctx.res.writeHead(status, {
      ...noCache,
      ...headers,
      'audit-id': ctx.auditId,
      ...(options.own ? {} : extensionHeaders(headers, outgoing.endpoint)),
      ...ownWarnings(ctx, headers.warning),
      ...(ctx.req.method === 'HEAD' ? {} : announcedTrailers(answer)),
      ...(ctx.trace.wanted ? traceHeaders(ctx.trace) : {}),
    });
  };
  const { whole } = body;
  if (whole === undefined) return pass(answer, ctx, writeHead);
  writeHead();
  return end(answer, whole, ctx);
}

/** What the request path warns of stands before the warnings of the backend. */
function ownWarnings(ctx: RequestContext, backend: OutgoingHttpHeaders[string]): Record<string, string[]> {
  if (ctx.warnings.length === 0) return {};
  return { warning: [...warningHeaders(ctx), ...[backend ?? []].flat().map(String)] };
}

/** Passes on a body that is here. */
function end(answer: Answer, whole: Buffer, ctx: RequestContext): void {
  if (ctx.req.method !== 'HEAD' && announcesTrailers(answer)) passTrailers(answer, ctx.res);
  endWhole(ctx, whole);
}

/** Passes on a body that is still coming. Resolves when the client's side is closed. */
async function pass(answer: Answer, ctx: RequestContext, writeHead: () => void): Promise<void> {
  const { res, stopping } = ctx;
  const closed = new Promise((resolve) => res.once('close', resolve));
  passBody({
    res,
    body: answer.body,
    isHeld: answer.headers['content-length'] !== undefined,
    writeHead,
    beforeEnd() {
      if (ctx.req.method !== 'HEAD' && announcesTrailers(answer)) passTrailers(answer, res);
    },
  });
  if (!isStream(ctx)) return void (await closed);
  const end = () => res.end();
  stopping.addEventListener('abort', end, { once: true });
  if (stopping.aborted) end();
  await closed;
  stopping.removeEventListener('abort', end);
}

/** What kube-apiserver adds to the answer of an extension server, which may say something of the kind itself. */
const extensionHeaders = (headers: OutgoingHttpHeaders, endpoint: Endpoint): OutgoingHttpHeaders => ({
  'cache-control': [noCache['cache-control'], headers['cache-control'] ?? []].flat().map(String).join(', '),
  ...locationOf(headers, endpoint),
});

/** A `Location` without a host names the backend's own: the client would look for it here. */
function locationOf(headers: OutgoingHttpHeaders, endpoint: Endpoint): OutgoingHttpHeaders {
  const { location } = headers;
  if (typeof location !== 'string' || !location.startsWith('/') || location.startsWith('//')) return {};
  return { location: `https://${hostPort(endpoint)}${location}` };
}

/** HTTP/1.1 has a place for trailers only where the length of the body is not known. */
const announcesTrailers = ({ headers }: Answer): boolean =>
  headers.trailer !== undefined && headers['content-length'] === undefined;

const announcedTrailers = (answer: Answer): OutgoingHttpHeaders =>
  announcesTrailers(answer) ? { trailer: answer.headers.trailer } : {};

/** Passes on the trailers that the head of the answer announced. */
function passTrailers({ headers, body: { trailers } }: Answer, res: ServerResponse): void {
  const announced = [...listedNames(headers.trailer)].filter((name) => !hopByHopHeaders.has(name));
  const found = announced.flatMap((name) => (trailers[name] === undefined ? [] : [[name, trailers[name]]]));
  res.addTrailers(Object.fromEntries(found) as OutgoingHttpHeaders);
}

// What one side sent before it ended still arrives; who does not end then is not waited for.
const lingerMs = 5_000;

/** Connects the two sides of an upgraded connection, neither read faster than the other takes it. They end together. */
async function tunnel(
  ctx: RequestContext,
  { statusCode, statusMessage, rawHeaders }: Answer,
  backend: TLSSocket,
  head: Buffer,
): Promise<void> {
  const client = ctx.req.socket as Socket;
  ctx.res.detachSocket(client);
  let text = `HTTP/1.1 ${statusCode} ${statusMessage}\r\n`;
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    text += `${rawHeaders[i]}: ${rawHeaders[i + 1]}\r\n`;
  }
  client.setTimeout(0);
  client.write(`${text}\r\n`, 'latin1');
  if (head.length > 0) client.write(head);
  const end = () => client.destroy();
  ctx.stopping.addEventListener('abort', end, { once: true });
  const ways = [pipeline(client, backend), pipeline(backend, client)].map((way) =>
    way.catch(() => undefined),
  );
  await Promise.race(ways);
  await Promise.race([Promise.all(ways), setTimeout(lingerMs, undefined, { ref: false })]);
  ctx.stopping.removeEventListener('abort', end);
  client.destroy();
  backend.destroy();
}
