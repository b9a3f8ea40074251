import { constants, type OutgoingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import { PacketStream } from './packet-stream.ts';
import { connectionOf } from './sessions.ts';
import { encodeStatusMessage, type GrpcError, grpcStatus } from './status.ts';

const contentType = { ':status': 200, 'content-type': 'application/grpc' } as const;

const statusHeaders = ({ code, message }: Pick<GrpcError, 'code' | 'message'>): OutgoingHttpHeaders => ({
  'grpc-status': String(code),
  'grpc-message': encodeStatusMessage(message),
});

/** True if a stream was reset, or its connection is gone: nothing can be sent. */
export const isGone = ({ closed, destroyed, session }: ServerHttp2Stream): boolean =>
  closed || destroyed || session === undefined;

/** Accepts a stream of a client that is not gone: sends the response headers. It ends with the status OK, or that of its error. */
export function acceptStream(
  stream: ServerHttp2Stream,
  metadata: OutgoingHttpHeaders = {},
  maxUnsent?: number,
): PacketStream {
  const data = connectionOf(stream.session).open(stream.id ?? 0);
  let status: OutgoingHttpHeaders = { 'grpc-status': String(grpcStatus.OK) };
  stream.respond({ ...contentType, ...metadata }, { waitForTrailers: true });
  stream.once('wantTrailers', () => {
    stream.sendTrailers(status);
    // What the client still sends is of no use.
    setImmediate(() => stream.close(constants.NGHTTP2_NO_ERROR));
  });
  const endWith = (error: GrpcError): void => {
    status = statusHeaders(error);
    stream.end();
  };
  return new PacketStream(stream, data, endWith, maxUnsent);
}

/** Refuses a stream with the status of an error. A stream that is gone needs none. */
export function refuseStream(stream: ServerHttp2Stream, error: GrpcError): void {
  if (isGone(stream)) return;
  const connection = connectionOf(stream.session);
  stream.once('close', () => connection.close(stream.id ?? 0));
  stream.respond({ ...contentType, ...statusHeaders(error) }, { endStream: true });
  stream.resume();
  stream.close(constants.NGHTTP2_NO_ERROR);
}
