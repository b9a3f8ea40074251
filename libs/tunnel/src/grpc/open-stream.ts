import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  constants,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
} from 'node:http2';
import { readExtensions } from './extensions.ts';
import { PacketStream } from './packet-stream.ts';
import { connectionOf } from './sessions.ts';
import { GrpcError, grpcStatus, statusErrorOf } from './status.ts';

/** A stream that a client opened. */
export interface OpenedStream {
  packets: PacketStream;
  /** The response headers. Rejects with GrpcError or the error of the connection. */
  headers: Promise<IncomingHttpHeaders>;
  /** What the server announced; empty before its headers. */
  extensions(): ReadonlySet<string>;
  /** Calls back with the error of the status that the server ended the stream with. */
  onStatus(callback: (error: GrpcError) => void): void;
}

/** Opens a bidirectional stream to a method such as `/ProxyService/Proxy`. */
export function openStream(
  session: ClientHttp2Session,
  path: string,
  metadata: OutgoingHttpHeaders = {},
): OpenedStream {
  const stream = session.request(
    {
      ':method': 'POST',
      ':path': path,
      'content-type': 'application/grpc',
      te: 'trailers',
      'user-agent': 'annex',
      ...metadata,
    },
    { endStream: false },
  );
  const connection = connectionOf(session);
  const data = connection.open(stream.id ?? 0);
  if (stream.pending) stream.once('ready', () => connection.assign(data, stream.id ?? 0));
  const packets = new PacketStream(stream, data, { endWith: () => stream.close(constants.NGHTTP2_CANCEL) });
  const headers = responseHeaders(stream);
  // A caller may learn of the failure by `closed` alone.
  headers.catch(() => undefined);
  let extensions: ReadonlySet<string> = new Set();
  // Node reports the headers after packets that came with them.
  packets.hold();
  stream.once('response', (received) => {
    extensions = readExtensions(received);
    packets.release();
  });
  return {
    packets,
    headers,
    extensions: () => extensions,
    onStatus: (callback) => onStatus(stream, callback),
  };
}

function responseHeaders(stream: ClientHttp2Stream): Promise<IncomingHttpHeaders> {
  return new Promise((resolve, reject) => {
    stream.once('response', (headers) => {
      const error = headerError(headers);
      if (error === undefined) resolve(headers);
      else reject(error);
    });
    stream.once('error', reject);
    stream.once('close', () => reject(new GrpcError(grpcStatus.UNAVAILABLE, 'the stream was closed')));
  });
}

function headerError(headers: IncomingHttpHeaders & { ':status'?: number }): GrpcError | undefined {
  const status = statusErrorOf(headers);
  if (status !== undefined || headers[':status'] === 200) return status;
  return new GrpcError(grpcStatus.UNKNOWN, `unexpected HTTP status ${headers[':status'] ?? 'none'}`);
}

function onStatus(stream: ClientHttp2Stream, callback: (error: GrpcError) => void): void {
  const report = (headers: Readonly<Record<string, unknown>>) => {
    const error = statusErrorOf(headers);
    if (error !== undefined) callback(error);
  };
  stream.on('response', report);
  stream.on('trailers', report);
}
