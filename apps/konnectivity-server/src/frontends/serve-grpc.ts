import type { IncomingHttpHeaders, ServerHttp2Session } from 'node:http2';
import type { Server } from 'node:net';
import type { TlsOptions } from 'node:tls';
import {
  acceptStream,
  announceExtensions,
  callTimeoutMs,
  createStreamServer,
  maxUnreadClientBytes,
  readExtensions,
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
    method: '/ProxyService/Proxy',
    tls,
    maxStreams: maxFrontendStreams,
    maxConnections: maxFrontendConnections,
    firstStreamMs: firstRequestTimeoutMs,
    session: (session) => observer.session(session),
    stream(stream, headers) {
      observer.opened();
      const packets = acceptStream(stream, { ...accepted, timeoutMs: timeoutOf(headers) });
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

/** Milliseconds that a client waits. The server has read the header before. */
const timeoutOf = ({ 'grpc-timeout': timeout }: IncomingHttpHeaders): number | undefined =>
  timeout === undefined ? undefined : callTimeoutMs(String(timeout));
