import type { ServerHttp2Session } from 'node:http2';
import type { Server } from 'node:net';
import type { TlsOptions } from 'node:tls';
import {
  acceptStream,
  announceExtensions,
  createStreamServer,
  GrpcError,
  grpcStatus,
  maxUnreadClientBytes,
  readExtensions,
  refuseStream,
  type StreamCounts,
} from '@annex/tunnel';
import { firstRequestTimeoutMs, maxFrontendConnections, maxFrontendStreams } from '../limits.ts';
import type { DialSetting } from '../tunnel/dial.ts';
import { GrpcFrontend } from './grpc-frontend.ts';

/** Counts streams, and takes connections. */
export interface GrpcObserver {
  opened(): void;
  closed(): void;
  session(session: ServerHttp2Session): void;
  counts: StreamCounts;
}

const method = '/ProxyService/Proxy';

/** As upstream, the server sends the headers with its first packet. */
const accepted = {
  metadata: announceExtensions(['half-close']),
  isLate: true,
  maxUnsent: maxUnreadClientBytes,
};

/** Creates the server of mode `grpc`, with TLS if it has options. */
export const createGrpcServer = (
  tls: TlsOptions | undefined,
  dials: DialSetting,
  observer: GrpcObserver,
): Server =>
  createStreamServer({
    tls,
    maxStreams: maxFrontendStreams,
    maxConnections: maxFrontendConnections,
    firstStreamMs: firstRequestTimeoutMs,
    session: (session) => observer.session(session),
    stream(stream, headers) {
      const path = headers[':path'] ?? '';
      if (path !== method)
        return refuseStream(stream, new GrpcError(grpcStatus.UNIMPLEMENTED, `unknown method ${path}`));
      observer.opened();
      const packets = acceptStream(stream, accepted);
      const frontend = new GrpcFrontend(packets, { dials, extensions: readExtensions(headers) });
      packets.observe(observer.counts);
      const receiver = observer.counts.counted({
        packet: (packet) => frontend.received(packet),
        ended: () => frontend.ended(),
        closed: () => {
          frontend.closed();
          observer.closed();
        },
      });
      packets.start(receiver);
    },
  });
