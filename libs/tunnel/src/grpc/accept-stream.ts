import { constants, type OutgoingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import { trailersFrame } from '../frames/trailers.ts';
import { PacketStream } from './packet-stream.ts';
import { connectionOf } from './sessions.ts';
import { RequestError } from './request-head.ts';
import { encodeStatusMessage, GrpcError, grpcStatus } from './status.ts';

const contentType = { ':status': 200, 'content-type': 'application/grpc' } as const;

/** Characters of a message: encoded, they are within one frame of HTTP/2. */
const statusMessageLength = 1_024;

const okHeaders: Readonly<Record<string, string>> = { 'grpc-status': String(grpcStatus.OK) };

const statusHeaders = ({ code, message }: Pick<GrpcError, 'code' | 'message'>): Record<string, string> => ({
  'grpc-status': String(code),
  'grpc-message': encodeStatusMessage(message.slice(0, statusMessageLength)),
});

/** True if a stream was reset, or its connection is gone: nothing can be sent. */
export const isGone = ({ closed, destroyed, session }: ServerHttp2Stream): boolean =>
  closed || destroyed || session === undefined;

/** How a stream is accepted. */
export interface AcceptOptions {
  /** Headers beside those of gRPC. */
  metadata?: OutgoingHttpHeaders;
  /** The headers wait for the first packet, and are in the same write: a client does not wait for them. */
  isLate?: boolean;
  /** Bytes that wait for the client before senders have to wait. */
  maxUnsent?: number;
  /** Milliseconds until the stream fails: the client waits no longer. */
  timeoutMs?: number | undefined;
}

/** Accepts a stream of a client that is not gone: sends the response headers. It ends with the status OK, or that of its error. */
export function acceptStream(
  stream: ServerHttp2Stream,
  { metadata, isLate = false, maxUnsent, timeoutMs }: AcceptOptions = {},
): PacketStream {
  const id = stream.id ?? 0;
  const data = connectionOf(stream.session).open(id);
  let status = okHeaders;
  // node:http2 needs three turns and a write of their own for trailers.
  data.trailers = () => trailersFrame(id, status);
  // What the client still sends is of no use.
  data.onEnd = () => setImmediate(() => stream.close(constants.NGHTTP2_NO_ERROR));
  const begin = (): void => {
    if (!isGone(stream)) stream.respond({ ...contentType, ...metadata });
  };
  const endWith = (error: GrpcError, isBegun: boolean): void => {
    if (!isBegun) return refuseStream(stream, error);
    status = statusHeaders(error);
    stream.end();
  };
  if (!isLate) begin();
  const packets = new PacketStream(stream, data, { begin: isLate ? begin : undefined, endWith, maxUnsent });
  if (timeoutMs !== undefined) failAfter(stream, packets, timeoutMs);
  return packets;
}

/** A timer waits for at most so many milliseconds. */
const longestTimer = 2 ** 31 - 1;

function failAfter(stream: ServerHttp2Stream, packets: PacketStream, ms: number): void {
  const late = new GrpcError(grpcStatus.DEADLINE_EXCEEDED, 'context deadline exceeded');
  const timer = setTimeout(() => packets.fail(late), Math.min(ms, longestTimer)).unref();
  stream.once('close', () => clearTimeout(timer));
}

/** Refuses a stream with the status of an error. A stream that is gone needs none. */
export function refuseStream(stream: ServerHttp2Stream, error: GrpcError): void {
  if (isGone(stream)) return;
  const connection = connectionOf(stream.session);
  stream.once('close', () => connection.close(stream.id ?? 0));
  const httpStatus = error instanceof RequestError ? error.httpStatus : 200;
  const headers = { ...contentType, ':status': httpStatus, ...statusHeaders(error) };
  stream.respond(headers, { endStream: true });
  stream.resume();
  stream.close(constants.NGHTTP2_NO_ERROR);
}
