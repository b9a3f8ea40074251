import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { ClientHttp2Session } from 'node:http2';
import { connect as connectTcp, type Socket } from 'node:net';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { createMetrics, type Metrics, nullLogger, parseOptions } from '@annex/runtime';
import { createTestCA, tempFolder } from '@annex/testkit';
import {
  announceExtensions,
  connectSession,
  type Extension,
  openStream,
  type PacketOf,
  type PacketStream,
  type PacketType,
  type ReceivedPacket,
  TunnelDialer,
} from '@annex/tunnel';
import { onTestFinished } from 'vitest';
import { createKonnectivityServer, type KonnectivityServerDeps } from './app.ts';
import { konnectivityServerConflicts } from './option-conflicts.ts';
import { konnectivityServerOptions } from './options.ts';

const ca = createTestCA('konnectivity-ca');
const serverPair = ca.issue({ commonName: 'server', ipAddresses: ['127.0.0.1'] });

/** A server in this process, which ends with the test. */
export interface TestServer {
  dialer: TunnelDialer;
  metrics: Metrics;
  health: string;
  /** Connects as the API server. */
  connect(): Socket;
  /** Connects an agent whose packets a test writes. `certificate` is the common name of its certificate. */
  agent(id: string, setting?: { extensions?: Extension[]; certificate?: string }): Promise<RawStream>;
  /** Opens a connection to the port of agents. */
  connectAgent(certificate?: string): ClientHttp2Session;
  /** Opens a stream of the API server. */
  client(metadata?: Record<string, string>): Promise<RawStream>;
  /** The value of a metric without the prefix; labels are part of the name. */
  value(name: string): Promise<number | undefined>;
  stop(): Promise<unknown>;
}

/** A stream whose packets a test writes. */
export interface RawStream {
  packets: PacketStream;
  session: ClientHttp2Session;
  received: ReceivedPacket[];
  /** Sets who takes the packets from now on. */
  onPacket(receiver: (packet: ReceivedPacket) => void): void;
  /** Resolves to the next packet of a type that was not taken before. */
  next<T extends PacketType>(type: T): Promise<PacketOf<T>>;
  /** Resolves to the error of the status when the stream is gone. */
  closed: Promise<Error | undefined>;
}

/** Starts a server with a Unix socket. */
export async function startServer(
  args: readonly string[] = [],
  limits: Pick<KonnectivityServerDeps, 'maxUnreadClientsBytes'> = {},
): Promise<TestServer> {
  const folder = tempFolder('annex-konnectivity-');
  const file = (name: string, text: string) => {
    writeFileSync(join(folder.path, name), text);
    return join(folder.path, name);
  };
  const path = join(folder.path, 'server.socket');
  const config = parsed([
    `--uds-name=${path}`,
    '--server-port=0',
    '--agent-bind-address=127.0.0.1',
    ...['agent', 'health', 'admin'].map((port) => `--${port}-port=0`),
    `--cluster-cert=${file('server.crt', serverPair.certificate)}`,
    `--cluster-key=${file('server.key', serverPair.key)}`,
    `--cluster-ca-cert=${file('ca.crt', ca.certificate)}`,
    '--graceful-shutdown-timeout=0',
    ...args,
  ]);
  const metrics = createMetrics();
  const server = createKonnectivityServer({ log: nullLogger, metrics, ...limits }, config);
  await server.start();
  const connect = () => connectTcp(path);
  const dialer = new TunnelDialer({ connect, server: 'the server' });
  onTestFinished(async () => {
    dialer.close();
    await server.stop();
    folder[Symbol.dispose]();
  });
  const port = Number(server.addresses.agents.split(':').at(-1));
  const connectAgent = (commonName = 'agent') => {
    const { certificate: cert, key } = ca.issue({ commonName });
    const tls = { port, host: '127.0.0.1', ca: ca.certificate, cert, key, ALPNProtocols: ['h2'] };
    return connectSession(() => connectTls(tls));
  };
  return {
    dialer,
    metrics,
    health: server.addresses.health,
    connect,
    connectAgent,
    async agent(id, { extensions = [], certificate } = {}) {
      const metadata = { agentid: id, ...(extensions.length > 0 ? announceExtensions(extensions) : {}) };
      return await rawStream(connectAgent(certificate), '/AgentService/Connect', metadata);
    },
    client: (metadata) => rawStream(connectSession(connect), '/ProxyService/Proxy', metadata),
    async value(name) {
      const lines = (await metrics.render()).split('\n');
      const found = lines.find((line) => line.startsWith(`konnectivity_network_proxy_server_${name} `));
      return found === undefined ? undefined : Number(found.split(' ').at(-1));
    },
    stop: () => server.stop(),
  };
}

function parsed(args: readonly string[]) {
  const result = parseOptions(konnectivityServerOptions, args, {}, konnectivityServerConflicts);
  if (result.kind !== 'config') throw new Error(JSON.stringify(result));
  return result.config;
}

async function rawStream(
  session: ClientHttp2Session,
  path: string,
  metadata: Record<string, string> = {},
): Promise<RawStream> {
  session.on('error', () => undefined);
  onTestFinished(() => session.destroy());
  await once(session, 'connect');
  const stream = openStream(session, path, metadata);
  const received: ReceivedPacket[] = [];
  const wake = new Set<() => void>();
  let taken = 0;
  let status: Error | undefined;
  let receiver: (packet: ReceivedPacket) => void = () => undefined;
  const closed = Promise.withResolvers<Error | undefined>();
  stream.onStatus((error) => (status = error));
  stream.packets.start({
    packet(packet) {
      received.push(packet);
      receiver(packet);
      for (const each of wake) each();
      wake.clear();
    },
    closed: (error) => closed.resolve(status ?? error),
  });
  if (path === '/AgentService/Connect') await stream.headers;
  return {
    packets: stream.packets,
    session,
    received,
    onPacket: (each) => void (receiver = each),
    closed: closed.promise,
    async next(type) {
      for (;;) {
        const at = received.findIndex((packet, index) => index >= taken && packet.type === type);
        if (at >= 0) {
          taken = at + 1;
          return received[at] as PacketOf<typeof type>;
        }
        await new Promise<void>((resolve) => void wake.add(resolve));
      }
    },
  };
}
