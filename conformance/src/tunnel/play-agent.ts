import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import type { AddressInfo, Server } from 'node:net';
import { join } from 'node:path';
import {
  createKonnectivityAgent,
  type KonnectivityAgent,
  konnectivityAgentConflicts,
  konnectivityAgentOptions,
} from '@annex/konnectivity-agent';
import { createMetrics, nullLogger, parseOptions } from '@annex/runtime';
import { createTestCA, tempFolder } from '@annex/testkit';
import {
  acceptStream,
  createStreamServer,
  type Packet,
  type PacketOf,
  type PacketStream,
} from '@annex/tunnel';
import { Destinations, type Endpoint } from './destinations.ts';
import { eventually, Inbox } from './links.ts';
import { type Line, packetOf } from './recording.ts';

/** The flags of the agent of a link; undefined for one that a recording plays by hand. */
const flagsOf = (lines: readonly Line[], { link = '' }: Line): readonly string[] | undefined =>
  lines[0]?.[idOf(link)] as string[] | undefined;

const idOf = (link: string): string => /(?<=^agent:)[^#]+/.exec(link)?.[0] ?? '';

/** Returns whether a recording has streams of agents that can be played. */
export const hasAgents = (lines: readonly Line[]): boolean =>
  lines.some((line) => line.kind === 'grpc' && flagsOf(lines, line) !== undefined);

/** Plays a recording against our agents: the player is their servers and their destinations. Resolves to the first difference. */
export async function playAgainstAgents(lines: readonly Line[]): Promise<string | undefined> {
  const player = new AgentPlayer(lines);
  await player.start();
  try {
    for (const [index, line] of lines.entries()) {
      try {
        await player.play(line, index);
      } catch (error) {
        return `line ${index + 1}: ${(error as Error).message}`;
      }
    }
    return undefined;
  } finally {
    await player.stop();
  }
}

/** The address of a name server in an error. */
const nameServer = / on [\d.:[\]]+(?=: )/;

/** The end of the error of a destination that does not respond, and milliseconds for it: agents wait 5 s. */
const timedOut = ': i/o timeout';
const dialTimeoutMs = 9_000;

/** A dial that the player sent. */
interface Dial {
  /** The address of the recording, and the one that was sent. */
  recorded: string;
  address: string;
}

/** A connection of an agent. */
interface Connection {
  id: number;
  endpoint: Endpoint;
  isEnded: boolean;
}

/** The stream of one agent. */
class AgentLink {
  readonly inbox = new Inbox();
  readonly packets: PacketStream;
  readonly id: string;
  readonly servers: number;
  readonly #stream: ServerHttp2Stream;
  readonly dials = new Map<bigint, Dial>();
  /** By the id of the recording. */
  readonly connections = new Map<number, Connection>();

  constructor(stream: ServerHttp2Stream, id: string, metadata: { serverid: string; servercount: string }) {
    const packets = acceptStream(stream, { metadata });
    this.#stream = stream;
    this.packets = packets;
    this.id = id;
    this.servers = Number(metadata.servercount);
    packets.start({
      packet: (packet) => this.inbox.add(packet),
      ended: () => packets.end(),
      closed: () => undefined,
    });
  }

  /** Ends the connection. */
  close(): void {
    this.#stream.session?.destroy();
  }
}

/** A stream that an agent opened and that no line of the recording opened yet. */
interface Opened {
  stream: ServerHttp2Stream;
  headers: IncomingHttpHeaders;
}

class AgentPlayer {
  readonly #lines: readonly Line[];
  readonly #folder = tempFolder('annex-tunnel-recording-');
  readonly #destinations = new Destinations();
  readonly #agents = new Map<string, KonnectivityAgent>();
  readonly #opened: Opened[] = [];
  readonly #links = new Map<string, AgentLink>();
  readonly #stopping: Promise<unknown>[] = [];
  readonly #ca = createTestCA('konnectivity-ca');
  readonly #server: Server;

  constructor(lines: readonly Line[]) {
    this.#lines = lines;
    writeFileSync(join(this.#folder.path, 'ca.crt'), this.#ca.certificate);
    const { certificate, key } = this.#ca.issue({ commonName: 'server', ipAddresses: ['127.0.0.1'] });
    this.#server = createStreamServer({
      tls: { cert: certificate, key },
      maxStreams: 10,
      maxConnections: 100,
      firstStreamMs: 60_000,
      stream: (stream, headers) => void this.#opened.push({ stream, headers }),
    });
  }

  async start(): Promise<void> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#stopping, ...[...this.#agents.values()].map((agent) => agent.stop())]);
    this.#server.close();
    this.#destinations[Symbol.dispose]();
    this.#folder[Symbol.dispose]();
  }

  async play(line: Line, index: number): Promise<void> {
    const { kind, event, link = '', dir = '' } = line;
    const id = idOf(link);
    const flags = flagsOf(this.#lines, line);
    if (flags === undefined) return;
    // Agents that a recording plays by hand announce no identifiers.
    if (kind === 'grpc' && event === 'open' && line.metadata?.['agentidentifiers'] !== undefined)
      await this.#join(link, id, flags, line, index);
    else if (!this.#links.has(link)) return;
    else if (kind === 'conn' && event === 'fin' && dir === 'server->agent') this.#links.get(link)!.close();
    else if (kind === 'packet' && dir === 'server->agent') await this.#send(link, line);
    else if (kind === 'packet') await this.#expect(link, line, id);
  }

  /** An agent joins; its headers are those of the recording. */
  async #join(link: string, id: string, flags: readonly string[], line: Line, index: number): Promise<void> {
    if (!this.#agents.has(id)) await this.#startAgent(id, flags);
    // The only server of an agent that connects again has lost its connection.
    for (const other of this.#links.values()) if (other.id === id && other.servers === 1) other.close();
    const { stream, headers } = await eventually(`the stream of ${id}`, () => {
      const at = this.#opened.findIndex(({ headers: { agentid } }) => agentid === id);
      return at < 0 ? undefined : this.#opened.splice(at, 1)[0];
    });
    for (const name of [':path', 'agentid', 'agentidentifiers', 'content-type', 'te']) {
      const recorded = line.metadata?.[name];
      if (headers[name] !== recorded) throw new Error(`${name} is ${String(headers[name])}, not ${recorded}`);
    }
    const accepted = this.#lines.find(
      ({ kind, event, link: other }, at) =>
        at > index && kind === 'grpc' && event === 'headers' && other === link,
    );
    const { serverid = 'server', servercount = '1' } = accepted?.metadata ?? {};
    this.#links.set(link, new AgentLink(stream, id, { serverid, servercount }));
  }

  async #startAgent(id: string, flags: readonly string[]): Promise<void> {
    const { port } = this.#server.address() as AddressInfo;
    const parsed = parseOptions(
      konnectivityAgentOptions,
      [
        ...flags,
        `--proxy-server-port=${port}`,
        `--ca-cert=${join(this.#folder.path, 'ca.crt')}`,
        '--health-server-port=0',
        '--admin-server-port=0',
        '--sync-interval=10ms',
        '--allow-destinations=127.0.0.0/8,::1,localhost,no-such-host.invalid',
        '--graceful-shutdown-timeout=0',
      ],
      {},
      konnectivityAgentConflicts,
    );
    if (parsed.kind !== 'config') throw new Error(JSON.stringify(parsed));
    const agent = createKonnectivityAgent({ log: nullLogger, metrics: createMetrics() }, parsed.config);
    this.#agents.set(id, agent);
    await agent.start();
  }

  async #send(link: string, line: Line): Promise<void> {
    const of = this.#links.get(link)!;
    const packet = packetOf(line);
    if (packet === undefined) return;
    if (packet.type === 'DIAL_REQ') return await this.#dial(link, packet);
    if (!('connectId' in packet)) return of.packets.send(packet);
    const connection = of.connections.get(packet.connectId);
    of.packets.send({ ...packet, connectId: connection?.id ?? packet.connectId });
    if (connection === undefined || connection.isEnded) return;
    if (packet.type === 'DATA') await connection.endpoint.expect(packet.data.length);
    if (packet.type !== 'CLOSE_REQ') return;
    connection.isEnded = true;
    await connection.endpoint.expectEnd();
  }

  /** Where the recorded agent connected, ours finds a destination. */
  async #dial(link: string, packet: PacketOf<'DIAL_REQ'>): Promise<void> {
    const of = this.#links.get(link)!;
    const { address: recorded, random } = packet;
    const [error] = this.#lines.flatMap((line) => {
      if (line.link !== link || line.type !== 'DIAL_RSP') return [];
      const response = packetOf(line) as PacketOf<'DIAL_RSP'>;
      return response.random === random ? [response.error] : [];
    });
    const address = await this.#destinationOf(recorded, error);
    of.dials.set(random, { recorded, address });
    of.packets.send({ ...packet, address });
  }

  #destinationOf(recorded: string, error: string | undefined): Promise<string> | string {
    if (error === '') return this.#destinations.open(recorded);
    return error?.endsWith(timedOut) === true ? this.#destinations.openSilent() : recorded;
  }

  async #expect(link: string, line: Line, id: string): Promise<void> {
    const of = this.#links.get(link)!;
    const packet = packetOf(line)!;
    if (packet.type === 'DIAL_RSP') return await this.#expectDialed(of, packet);
    if (packet.type === 'DRAIN') this.#stopping.push(this.#agents.get(id)!.stop());
    if (!('connectId' in packet)) return void (await of.inbox.expect(packet));
    const connection = of.connections.get(packet.connectId);
    const expected: Packet = { ...packet, connectId: connection?.id ?? packet.connectId };
    if (packet.type === 'DATA') connection?.endpoint.write(packet.data);
    if (packet.type === 'CLOSE_RSP' && connection?.isEnded === false) {
      connection.isEnded = true;
      connection.endpoint.end();
    }
    await of.inbox.expect(expected);
  }

  async #expectDialed(of: AgentLink, packet: PacketOf<'DIAL_RSP'>): Promise<void> {
    const ms = packet.error.endsWith(timedOut) ? dialTimeoutMs : undefined;
    const received = (await of.inbox.next('DIAL_RSP', ms)) as PacketOf<'DIAL_RSP'>;
    const dial = of.dials.get(received.random);
    const [found, wanted] = [received, packet].map(({ type, error = '', random }) => {
      const text = error
        .replace(nameServer, ' on a name server')
        .replace(dial?.address ?? '', dial?.recorded ?? '');
      return `${type} ${String(random)} ${text}`.trim();
    });
    if (found !== wanted) throw new Error(`${found} arrived, not ${wanted}`);
    if (packet.error !== '' || dial === undefined) return;
    const endpoint = await this.#destinations.accept(dial.address);
    of.connections.set(packet.connectId, { id: received.connectId, endpoint, isEnded: false });
  }
}
