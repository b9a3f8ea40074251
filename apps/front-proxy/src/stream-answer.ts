import { pipeline } from 'node:stream/promises';
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import {
  type Answer,
  type Endpoint,
  type Outgoing,
  type RequestContext,
  answerHeaders,
  hostPort,
  isStream,
  refuseRest,
  sendText,
} from '@annex/server';

/** Passes a backend's answer to the client, chunk by chunk, no faster than the client reads. Ends with either side. */
export async function streamAnswer(
  ctx: RequestContext,
  answer: Answer,
  outgoing: Outgoing,
  options: { own?: boolean } = {},
): Promise<void> {
  const { message, upgraded } = answer;
  if (upgraded !== undefined) return tunnel(ctx, answer, upgraded);
  const status = message.statusCode ?? 502;
  if (outgoing.upgrade && status < 400) {
    message.resume();
    return sendText(ctx, 503, `invalid upgrade response: status code ${status}\n`);
  }
  const headers = answerHeaders(message.rawHeaders, message.headers.connection);
  refuseRest(ctx);
  ctx.res.writeHead(status, {
    'cache-control': 'no-cache, private',
    ...headers,
    'audit-id': ctx.auditId,
    ...(options.own ? {} : locationOf(headers, outgoing.endpoint)),
  });
  // A body of unknown length may be long in coming; any other leaves together with its head.
  if (headers['content-length'] === undefined) ctx.res.flushHeaders();
  await pass(message, ctx);
}

/**
 * Resolves when the client's side is closed. A backend that breaks off breaks the client's connection off too, which
 * tells it that the answer is not whole. Not stream.pipeline, which makes an abort error with a stack for each answer.
 */
async function pass(message: IncomingMessage, ctx: RequestContext): Promise<void> {
  const { res, stopping } = ctx;
  const closed = new Promise((resolve) => res.once('close', resolve));
  message.once('error', () => res.destroy());
  message.pipe(res);
  if (!isStream(ctx)) return void (await closed);
  const end = () => res.end();
  stopping.addEventListener('abort', end, { once: true });
  if (stopping.aborted) end();
  await closed;
  stopping.removeEventListener('abort', end);
}

/** A `Location` without a host names the backend's own: the client would look for it here. */
function locationOf(headers: OutgoingHttpHeaders, endpoint: Endpoint): OutgoingHttpHeaders {
  const { location } = headers;
  if (typeof location !== 'string' || !location.startsWith('/') || location.startsWith('//')) return {};
  return { location: `https://${hostPort(endpoint)}${location}` };
}

/** Connects the two sides of an upgraded connection; when one ends, so does the other. */
async function tunnel(
  ctx: RequestContext,
  { message }: Answer,
  { socket: backend, head }: NonNullable<Answer['upgraded']>,
): Promise<void> {
  const client = ctx.req.socket as Socket;
  ctx.res.detachSocket(client);
  let text = `HTTP/1.1 ${message.statusCode} ${message.statusMessage}\r\n`;
  for (let i = 0; i + 1 < message.rawHeaders.length; i += 2) {
    text += `${message.rawHeaders[i]}: ${message.rawHeaders[i + 1]}\r\n`;
  }
  client.setTimeout(0);
  client.write(`${text}\r\n`, 'latin1');
  if (head.length > 0) client.write(head);
  const end = () => client.destroy();
  ctx.stopping.addEventListener('abort', end, { once: true });
  await Promise.race([pipeline(client, backend), pipeline(backend, client)]).catch(() => undefined);
  ctx.stopping.removeEventListener('abort', end);
  client.destroy();
  backend.destroy();
}
