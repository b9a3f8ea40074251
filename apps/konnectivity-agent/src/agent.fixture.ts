import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createMetrics, type Metrics, nullLogger, parseOptions } from '@annex/runtime';
import { createTestCA, tempFolder } from '@annex/testkit';
import {
  acceptStream,
  announceExtensions,
  createStreamServer,
  type Extension,
  type Packet,
  type PacketOf,
  type PacketStream,
  type PacketType,
  type ReceivedPacket,
} from '@annex/tunnel';
import { onTestFinished } from 'vitest';
import { createKonnectivityAgent, type KonnectivityAgent } from './app.ts';
import { konnectivityAgentConflicts, konnectivityAgentOptions } from './options.ts';

const ca = createTestCA('konnectivity-ca');
const pair = ca.issue({ commonName: 'server', ipAddresses: ['127.0.0.1'] });

/** A server of a tunnel whose packets a test writes, and an agent that is connected to it. */
export interface TestAgent {
  agent: KonnectivityAgent;
  metrics: Metrics;
  /** The streams of the agent, in their order. */
  streams: readonly PacketStream[];
  /** Sends a packet to the newest stream. */
  send(packet: Packet): void;
  /** Resolves to the next packet of a type that was not taken before. */
  next<T extends PacketType>(type: T): Promise<PacketOf<T>>;
  /** Opens a connection to an address; resolves to its id. */
  dial(address: string): Promise<number>;
  /** The value of a metric without the prefix; labels are part of the name. */
  value(name: string): Promise<number | undefined>;
}

/** What a scripted server announces. */
export interface ServerSetting {
  args?: readonly string[];
  extensions?: readonly Extension[];
  headers?: Record<string, string>;
}

/** Starts a server and an agent in this process. */
export async function startAgent({
  args = [],
  extensions = [],
  headers = {},
}: ServerSetting = {}): Promise<TestAgent> {
  const streams: PacketStream[] = [];
  const received: ReceivedPacket[] = [];
  const wake = new Set<() => void>();
  const notify = () => {
    for (const each of wake) each();
    wake.clear();
  };
  const changed = () => new Promise<void>((resolve) => void wake.add(resolve));
  const server = createStreamServer({
    tls: { cert: pair.certificate, key: pair.key },
    maxStreams: 10,
    maxConnections: 10,
    firstStreamMs: 60_000,
    stream(stream) {
      const announced = extensions.length > 0 ? announceExtensions(extensions) : {};
      const packets = acceptStream(stream, {
        metadata: { serverid: 'server', servercount: '1', ...announced, ...headers },
      });
      packets.start({
        packet(packet) {
          received.push(packet);
          notify();
        },
        ended: () => packets.end(),
        closed: () => undefined,
      });
      streams.push(packets);
      notify();
    },
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const folder = tempFolder('annex-agent-');
  const caFile = join(folder.path, 'ca.crt');
  writeFileSync(caFile, ca.certificate);
  const metrics = createMetrics();
  const config = parsed([
    `--proxy-server-port=${port}`,
    `--ca-cert=${caFile}`,
    '--health-server-port=0',
    '--admin-server-port=0',
    '--sync-interval=10ms',
    '--allow-destinations=127.0.0.0/8',
    '--graceful-shutdown-timeout=0',
    ...args,
  ]);
  const agent = createKonnectivityAgent({ log: nullLogger, metrics }, config);
  await agent.start();
  onTestFinished(async () => {
    await agent.stop();
    server.close();
    folder[Symbol.dispose]();
  });
  while (streams.length === 0) await changed();
  let taken = 0;
  let dials = 0n;
  const next = async <T extends PacketType>(type: T): Promise<PacketOf<T>> => {
    for (;;) {
      const at = received.findIndex((packet, index) => index >= taken && packet.type === type);
      if (at >= 0) {
        taken = at + 1;
        return received[at] as PacketOf<T>;
      }
      await changed();
    }
  };
  const send = (packet: Packet) => streams.at(-1)!.send(packet);
  return {
    agent,
    metrics,
    streams,
    send,
    next,
    async dial(address) {
      send({ type: 'DIAL_REQ', protocol: 'tcp', address, random: ++dials });
      const { connectId, error } = await next('DIAL_RSP');
      if (error !== '') throw new Error(error);
      return connectId;
    },
    async value(name) {
      const lines = (await metrics.render()).split('\n');
      const found = lines.find((line) => line.startsWith(`konnectivity_network_proxy_agent_${name} `));
      return found === undefined ? undefined : Number(found.split(' ').at(-1));
    },
  };
}

function parsed(args: readonly string[]) {
  const result = parseOptions(konnectivityAgentOptions, args, {}, konnectivityAgentConflicts);
  if (result.kind !== 'config') throw new Error(JSON.stringify(result));
  return result.config;
}
