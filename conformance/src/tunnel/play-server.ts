import { connect } from 'node:net';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { writeFileSync } from 'node:fs';
import {
  createKonnectivityServer,
  type KonnectivityServer,
  konnectivityServerOptions,
} from '@annex/konnectivity-server';
import { createMetrics, nullLogger, parseOptions } from '@annex/runtime';
import { createTestCA, type TestCA, tempFolder, type TempFolder } from '@annex/testkit';
import { BytesLink, eventually, StreamLink } from './links.ts';
import { bytesOf, type Line, packetOf, typeNumbers } from './recording.ts';

/** What the recorded programs were started with. */
type Meta = Line & { 'server-0': string[]; mode: string };

/** Plays a recording against our server: the player is its agents and clients. Resolves to the first difference. */
export async function playAgainstServer(lines: readonly Line[]): Promise<string | undefined> {
  const player = new ServerPlayer(lines[0] as Meta);
  await player.start();
  try {
    for (const [index, line] of lines.entries()) {
      try {
        await player.play(line);
      } catch (error) {
        return `line ${index + 1}: ${(error as Error).message}`;
      }
    }
    return undefined;
  } finally {
    await player.stop();
  }
}

/** The server may stop before it responds. */
const ignore = (): void => undefined;

class ServerPlayer {
  readonly #meta: Meta;
  readonly #folder: TempFolder = tempFolder('annex-tunnel-recording-');
  readonly #ca: TestCA = createTestCA('konnectivity-ca');
  readonly #server: KonnectivityServer;
  readonly #streams = new Map<string, StreamLink>();
  readonly #connects = new Map<string, BytesLink>();
  /** The links of agents that the server accepted. */
  readonly #agents = new Set<string>();
  /** Names of dials: those of the recording, and ours. */
  readonly #randoms = new Map<bigint, bigint>();

  constructor(meta: Meta) {
    this.#meta = meta;
    this.#server = this.#create();
  }

  start(): Promise<void> {
    return this.#server.start();
  }

  async stop(): Promise<void> {
    for (const link of [...this.#streams.values(), ...this.#connects.values()]) link.close();
    await this.#server.stop();
    this.#folder[Symbol.dispose]();
  }

  async play(line: Line): Promise<void> {
    const { kind, event, link = '', dir = '' } = line;
    const isOurs = !dir.startsWith('server->');
    if (kind === 'conn' && event === 'open') this.#opened(link);
    else if (kind === 'conn' && event === 'fin' && isOurs) await this.#close(link);
    else if (kind === 'grpc' && event === 'open') this.#openStream(link, line.metadata ?? {});
    else if (kind === 'grpc' && event === 'half-close') this.#streams.get(link)?.packets.end();
    else if (kind === 'grpc' && event === 'headers' && dir === 'server->agent') await this.#accepted(link);
    else if (kind === 'grpc' && event === 'end' && !isOurs)
      await this.#streams.get(link)?.expectStatus(line.metadata?.['grpc-message'] ?? '');
    else if (kind === 'packet') await (isOurs ? this.#send(link, line) : this.#expect(link, line));
    else if (kind === 'bytes') await this.#bytes(link, line, isOurs);
    else if (kind === 'event') await this.#event(line);
  }

  #create(): KonnectivityServer {
    const file = (name: string, text?: string) => {
      const path = join(this.#folder.path, name);
      if (text !== undefined) writeFileSync(path, text);
      return path;
    };
    const { certificate, key } = this.#ca.issue({ commonName: 'server', ipAddresses: ['127.0.0.1'] });
    const flags = this.#meta['server-0'].filter((flag) => !flag.startsWith('--frontend-keepalive'));
    const args = [
      ...flags,
      `--uds-name=${file('socket')}`,
      '--server-port=0',
      '--agent-port=0',
      '--health-port=0',
      '--admin-port=0',
      '--agent-bind-address=127.0.0.1',
      `--cluster-cert=${file('crt', certificate)}`,
      `--cluster-key=${file('key', key)}`,
      `--cluster-ca-cert=${file('ca', this.#ca.certificate)}`,
    ];
    if (!args.some((arg) => arg.startsWith('--graceful'))) args.push('--graceful-shutdown-timeout=0');
    const parsed = parseOptions(konnectivityServerOptions, args, {});
    if (parsed.kind !== 'config') throw new Error(JSON.stringify(parsed));
    return createKonnectivityServer({ log: nullLogger, metrics: createMetrics() }, parsed.config);
  }

  #opened(link: string): void {
    if (this.#meta.mode !== 'http-connect' || !link.startsWith('client')) return;
    this.#connects.set(link, new BytesLink(connect(this.#server.addresses.frontend)));
  }

  #openStream(link: string, metadata: Readonly<Record<string, string>>): void {
    const { ':path': path = '', agentid, agentidentifiers } = metadata;
    const own = {
      ...(agentid === undefined ? {} : { agentid }),
      ...(agentidentifiers ? { agentidentifiers } : {}),
    };
    const connection = path.startsWith('/AgentService')
      ? this.#connectAgent()
      : connect(this.#server.addresses.frontend);
    this.#streams.set(link, new StreamLink(connection, path, own));
  }

  async #accepted(link: string): Promise<void> {
    await this.#streams.get(link)?.accepted;
    this.#agents.add(link);
  }

  #connectAgent() {
    const { certificate: cert, key } = this.#ca.issue({ commonName: 'agent' });
    const port = Number(this.#server.addresses.agents.split(':').at(-1));
    return connectTls({
      host: '127.0.0.1',
      port,
      ca: this.#ca.certificate,
      cert,
      key,
      ALPNProtocols: ['h2'],
    });
  }

  async #close(link: string): Promise<void> {
    this.#connects.get(link)?.close();
    this.#streams.get(link)?.close();
    if (!this.#agents.delete(link)) return;
    let count: number | undefined;
    await eventually('the end of the agent', () => {
      void this.#countAgents().then((found) => (count = found), ignore);
      return count === this.#agents.size ? true : undefined;
    });
  }

  /** The agents that the server knows of. */
  async #countAgents(): Promise<number> {
    const response = await fetch(`http://${this.#server.addresses.admin}/debug/agents`);
    return ((await response.json()) as { agents: unknown[] }).agents.length;
  }

  #send(link: string, line: Line): void {
    const packets = this.#streams.get(link)?.packets;
    const packet = packetOf(line);
    if (packet === undefined) packets?.sendMessage(Buffer.from([8, typeNumbers[line.type ?? ''] ?? 99]));
    else if ('random' in packet)
      packets?.send({ ...packet, random: this.#randoms.get(packet.random) ?? packet.random });
    else packets?.send(packet);
  }

  async #expect(link: string, line: Line): Promise<void> {
    const packet = packetOf(line);
    if (packet === undefined) return;
    const received = await this.#streams.get(link)?.expect(packet);
    if (received?.type === 'DIAL_REQ' && packet.type === 'DIAL_REQ')
      this.#randoms.set(packet.random, received.random);
  }

  async #bytes(link: string, line: Line, isOurs: boolean): Promise<void> {
    const connection = this.#connects.get(link);
    const bytes = bytesOf(line as Parameters<typeof bytesOf>[0]);
    if (isOurs) connection?.socket.write(bytes);
    else await connection?.expect(bytes);
  }

  async #event({ event, path, status, what }: Line): Promise<void> {
    if (event === 'kill' && String(what).startsWith('server')) throw new Error('the server is killed');
    if (event !== 'http' || typeof path !== 'string' || !path.startsWith('server ')) return;
    const url = `http://${this.#server.addresses.health}${path.slice('server '.length)}`;
    let last = 0;
    const check = () => {
      void fetch(url).then((response) => {
        last = response.status;
        return response.text();
      }, ignore);
      return last === status ? true : undefined;
    };
    await eventually(`status ${String(status)} of ${path}`, check);
  }
}
