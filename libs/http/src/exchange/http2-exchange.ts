import { setAllOwn } from '@annex/machinery';
import type { Buffer } from 'node:buffer';
import { type ClientHttp2Stream, constants } from 'node:http2';
import { pipeline } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { hostPort } from './endpoint.ts';
import type { Outgoing } from './outgoing.ts';
import { FieldLines, type Fields } from './field-lines.ts';
import { type HeaderList, headerObject } from '../header-list.ts';
import { maxHttp2InterimResponses } from './limits.ts';
import type { ResponseBody, BodySink } from '../http1/response-body.ts';
import type { BackendResponse } from '../http1/exchange.ts';

// Connection headers that HTTP/2 forbids (RFC 9113 section 8.2.2), and `host`, which is a pseudo-header.
const forbiddenHeaders: ReadonlySet<string> = new Set(['connection', 'host', 'transfer-encoding']);

/** Sends a request over HTTP/2 and resolves when the response head is received. */
export function sendOverHttp2({ transport, endpoint, ...outgoing }: Outgoing): Promise<BackendResponse> {
  const { body, headers, method, path, signal, clientResponse } = outgoing;
  return new Promise((resolve, reject) => {
    const stream = transport.sessions.to(endpoint).request(
      {
        ...withoutConnectionHeaders(headers),
        ':method': method,
        ':path': path,
        ':authority': hostPort(endpoint),
      },
      { endStream: body === undefined, ...(signal ? { signal } : {}) },
    );
    clientResponse?.once('close', () => {
      if (!stream.readableEnded) stream.close(constants.NGHTTP2_CANCEL);
    });
    let interimResponses = 0;
    stream.on('headers', () => {
      if (++interimResponses > maxHttp2InterimResponses) stream.destroy(tooManyInterimResponses());
    });
    stream.once('response', (head, _flags, raw) => resolve(responseOf(stream, head[':status'] ?? 0, raw)));
    stream.on('error', reject);
    stream.once('close', () => reject(Object.assign(new Error('EOF'), { code: 'ECONNRESET' })));
    if (body !== undefined) pipeline(body, stream, () => undefined);
  });
}

const tooManyInterimResponses = () => new Error('http2: too many 1xx informational responses');

const withoutConnectionHeaders = (headers: HeaderList) =>
  headerObject(
    headers.filter((_, i) => !forbiddenHeaders.has((headers[i - (i % 2)] as string).toLowerCase())),
  );

/** Wraps a stream and its head in the interface of HTTP/1.1 responses. */
function responseOf(stream: ClientHttp2Stream, statusCode: number, raw: readonly string[]): BackendResponse {
  const headers = new FieldLines();
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const [name, value] = [raw[i] as string, raw[i + 1] as string];
    if (!name.startsWith(':')) headers.add(name, value);
  }
  const body = bodyOf(stream);
  return {
    statusCode,
    statusMessage: '',
    headers,
    body,
    socket: stream.session?.socket as TLSSocket,
  };
}

function bodyOf(stream: ClientHttp2Stream): ResponseBody {
  const body = {
    whole: undefined,
    trailers: Object.create(null) as Fields,
    to: (sink: BodySink) => give(stream, sink),
    pause: () => void stream.pause(),
    resume: () => void stream.resume(),
    stream: () => stream,
    discard: () => stream.close(constants.NGHTTP2_CANCEL),
  };
  stream.once('trailers', (trailers) => setAllOwn(body.trailers, trailers));
  return body;
}

function give(stream: ClientHttp2Stream, sink: BodySink): void {
  let isOver = false;
  const once = (notify: () => void) => {
    if (!isOver) notify();
    isOver = true;
  };
  stream
    .on('data', (bytes: Buffer) => sink.data(bytes))
    .once('aborted', () => once(() => sink.fail(new Error('unexpected EOF'))))
    .once('error', (error) => once(() => sink.fail(error)))
    .once('end', () =>
      once(() => (stream.rstCode === 0 ? sink.end() : sink.fail(new Error('unexpected EOF')))),
    )
    .once('close', () => once(() => sink.fail(new Error('unexpected EOF'))));
}
