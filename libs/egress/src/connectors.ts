import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { dialErrorText, hostPort } from '@annex/http';
import type { DialAddress, Metrics } from '@annex/runtime';
import { streamCounts, TunnelDialer, TunnelDialError } from '@annex/tunnel';
import type { EgressSelection } from './configuration.ts';
import { requestConnection } from './http-connect.ts';
import { egressDialTimeoutMs } from './limits.ts';
import { type ProxyServer, tlsServer, unixServer } from './proxy-connection.ts';

/** A dial that failed: at the connection to the proxy server, or at its end. */
export class EgressError extends Error {
  override readonly name = 'EgressError';
  readonly stage: 'connect' | 'proxy';

  constructor(stage: 'connect' | 'proxy', message: string, options?: ErrorOptions) {
    super(message, options);
    this.stage = stage;
  }
}

/** Opens connections through one proxy server. */
export interface Connector {
  /** The labels of its metrics. */
  readonly protocol: 'grpc' | 'http_connect';
  readonly transport: 'tcp' | 'uds';
  /** The hop in words: `GRPC over /run/server.socket`. */
  readonly hop: string;
  /** Rejects with {@link EgressError}. */
  dial(to: DialAddress): Promise<Duplex>;
  close(): void;
}

/** Returns the connector of a valid selection; `undefined` if it is direct. Throws if its certificates are unusable. */
export function connectorOf({ connection }: EgressSelection, metrics: Metrics): Connector | undefined {
  const { proxyProtocol, transport: { tcp, uds } = {} } = connection;
  if (proxyProtocol === 'Direct') return undefined;
  if (proxyProtocol === 'GRPC' && uds !== undefined) return grpcConnector(uds.udsName, metrics);
  if (uds !== undefined) return httpConnector('uds', unixServer(uds.udsName));
  if (tcp?.tlsConfig === undefined) throw new Error('a connection without a transport is not valid');
  return httpConnector('tcp', tlsServer(tcp.url, tcp.tlsConfig));
}

function httpConnector(transport: Connector['transport'], server: ProxyServer): Connector {
  return {
    protocol: 'http_connect',
    transport,
    hop: `HTTPConnect over ${server.name}`,
    async dial(to) {
      const signal = AbortSignal.timeout(egressDialTimeoutMs);
      const proxy = await server.open(signal).catch((cause: Error) => {
        throw new EgressError('connect', connectText(cause, server), { cause });
      });
      const late = (): void => void proxy.destroy(new Error('i/o timeout'));
      signal.addEventListener('abort', late, { once: true });
      try {
        return await requestConnection(proxy, server.name, hostPort(to));
      } catch (cause) {
        throw new EgressError('proxy', (cause as Error).message, { cause });
      } finally {
        signal.removeEventListener('abort', late);
      }
    },
    close: () => undefined,
  };
}

/** The text of Go's dialer for a connection to a proxy server. */
function connectText(error: Error, { name, address }: ProxyServer): string {
  const cause = error.name === 'AbortError' ? new Error('i/o timeout') : error;
  return dialErrorText(cause, address ?? { host: name, port: 0 }, address?.host ?? name);
}

function grpcConnector(path: string, metrics: Metrics): Connector {
  const segments = { program: 'client', sent: 'from_client', received: 'to_client' } as const;
  const counts = streamCounts(metrics, segments);
  const tunnel = new TunnelDialer({ connect: () => connect({ path }), server: path, counts });
  const failures = metrics.counter(
    'konnectivity_network_proxy_client_dial_failure_total',
    'Dials of the konnectivity client that failed, by reason.',
    ['reason'],
  );
  const connections = metrics.gauge(
    'konnectivity_network_proxy_client_client_connections',
    'Connections of the konnectivity client, by status.',
    ['status'],
  );
  return {
    protocol: 'grpc',
    transport: 'uds',
    hop: `GRPC over ${path}`,
    async dial(to) {
      connections.inc({ status: 'dialing' });
      try {
        const connection = await tunnel.dial(hostPort(to));
        connections.inc({ status: 'ok' });
        return connection.once('close', () => connections.dec({ status: 'ok' }));
      } catch (error) {
        const cause = error as Error;
        const reason = cause instanceof TunnelDialError ? cause.reason : 'unknown';
        if (reason === 'connect') throw new EgressError('connect', cause.message, { cause });
        failures.inc({ reason: failureReasons.get(reason) ?? 'unknown' });
        throw new EgressError('proxy', cause.message, { cause });
      } finally {
        connections.dec({ status: 'dialing' });
      }
    },
    close: () => tunnel.close(),
  };
}

/** The reasons of konnectivity-client. */
const failureReasons = new Map([
  ['endpoint', 'endpoint'],
  ['timeout', 'timeout'],
  ['canceled', 'context'],
  ['closed', 'tunnelclosed'],
]);
