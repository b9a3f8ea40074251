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
import type { Packet } from '@annex/tunnel';
import { createTestCA, type TestCA, tempFolder, type TempFolder } from '@annex/testkit';
import { BytesLink, eventually, StreamLink } from './links.ts';
import { bytesOf, type Line, packetOf, typeNumbers } from './recording.ts';
import { Routes } from './routes.ts';
import { startTokenReviews, type TokenReviews } from './token-reviews.ts';

/** What the recorded programs were started with. */
type Meta = Line & { 'server-0'?: string[]; mode: string; what: string };

/** The flags of a recording that has them in its description. */
const describedFlags = /--(?:agent-|authentication-)\S+/g;

/** Plays a recording against our server: the player is its agents and clients. Resolves to the first difference. */
export async function playAgainstServer(lines: readonly Line[]): Promise<string | undefined> {
  const meta = lines[0] as Meta;
  using reviews = meta['server-0'] === undefined ? await startTokenReviews() : undefined;
  const player = new ServerPlayer(meta, reviews);
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
  readonly #reviews: TokenReviews | undefined;
  /** The flags of the first start. */
  readonly #common: readonly string[];
  readonly #folder: TempFolder = tempFolder('annex-tunnel-recording-');
  readonly #ca: TestCA = createTestCA('konnectivity-ca');
  #server: KonnectivityServer;
  /** Set while the server stops, and after it. */
  #stopping: Promise<unknown> | undefined;
  /** Flags of a restart. */
  #flags: readonly string[] | undefined;
  readonly #streams = new Map<string, StreamLink>();
  readonly #connects = new Map<string, BytesLink>();
  /** The links of agents that the server accepted. */
  readonly #agents = new Set<string>();
  /** What agents say of the destinations that they reach. */
  readonly #identifiers = new Map<string, string>();
  /** Names of dials: those of the recording, and ours. */
  readonly #randoms = new Map<bigint, bigint>();
  readonly #routes = new Routes();
  /** Agents that drain: they get no dials. */
  readonly #draining = new Set<string>();

  constructor(meta: Meta, reviews: TokenReviews | undefined) {
    this.#meta = meta;
    this.#reviews = reviews;
    this.#common = meta['server-0'] ?? meta.what.match(describedFlags) ?? [];
    this.#server = this.#create();
  }

  start(): Promise<void> {
    return this.#server.start();
  }

  async stop(): Promise<void> {
    for (const link of [...this.#streams.values(), ...this.#connects.values()]) link.close();
    await (this.#stopping ?? this.#server.stop());
    this.#folder[Symbol.dispose]();
  }

  async play(line: Line): Promise<void> {
    const { kind, event, link = '', dir = '' } = line;
    const isOurs = !dir.startsWith('server->');
    if (event === 'open') await this.#restart();
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
    const flags = (this.#flags ?? this.#common).filter((flag) => !flag.startsWith('--frontend-keepalive'));
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
      ...(this.#reviews === undefined
        ? [`--cluster-ca-cert=${file('ca', this.#ca.certificate)}`]
        : [`--kubeconfig=${file('kubeconfig', this.#reviews.kubeconfig)}`]),
    ];
    if (this.#flags === undefined && !args.some((arg) => arg.startsWith('--graceful')))
      args.push('--graceful-shutdown-timeout=0');
    const parsed = parseOptions(konnectivityServerOptions, args, {});
    if (parsed.kind !== 'config') throw new Error(JSON.stringify(parsed));
    return createKonnectivityServer({ log: nullLogger, metrics: createMetrics() }, parsed.config);
  }

  #opened(link: string): void {
    if (this.#meta.mode !== 'http-connect' || !link.startsWith('client')) return;
    this.#connects.set(link, new BytesLink(connect(this.#server.addresses.frontend)));
  }

  #openStream(link: string, metadata: Readonly<Record<string, string>>): void {
    const { ':path': path = '', agentid, agentidentifiers, authorization } = metadata;
    const own = {
      ...(agentid === undefined ? {} : { agentid }),
      ...(agentidentifiers ? { agentidentifiers } : {}),
      ...(authorization ? { authorization: `Bearer ${agentid}` } : {}),
    };
    this.#identifiers.set(link, decodeURIComponent(agentidentifiers ?? ''));
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
    if (!this.#agents.delete(link) || this.#stopping !== undefined) return;
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
    const recorded = packetOf(line);
    if (recorded === undefined) {
      const message = Buffer.from([8, typeNumbers[line.type ?? ''] ?? 99]);
      return this.#streams.get(link)?.packets.sendMessage(message);
    }
    this.#routes.requested(link, recorded);
    if (recorded.type === 'DRAIN') this.#draining.add(link);
    const [actual, packet] = this.#routes.translate(link, recorded);
    const named =
      'random' in packet ? { ...packet, random: this.#randoms.get(packet.random) ?? packet.random } : packet;
    this.#streams.get(actual)?.packets.send(named);
  }

  async #expect(link: string, line: Line): Promise<void> {
    const recorded = packetOf(line);
    if (recorded === undefined) return;
    if (recorded.type === 'DIAL_REQ') return await this.#expectDial(link, recorded);
    const [actual, packet] = this.#routes.translate(link, recorded);
    await this.#streams.get(actual)?.inbox.expect(packet);
  }

  /** Any agent may get a dial, except those that drain, and that the strategy does not choose. */
  async #expectDial(recorded: string, packet: Packet & { type: 'DIAL_REQ' }): Promise<void> {
    const { address, random } = packet;
    const links = [recorded, ...this.#others(recorded, address)];
    const actual = await eventually('DIAL_REQ', () =>
      links.find((link) => this.#streams.get(link)?.inbox.pendingDial(address) !== undefined),
    );
    this.#randoms.set(random, this.#streams.get(actual)!.inbox.pendingDial(address)!);
    await this.#streams.get(actual)!.inbox.expect(packet);
    if (actual !== recorded) this.#routes.moved(random, recorded, actual);
  }

  #others(recorded: string, address: string): string[] {
    const host = address.slice(0, address.lastIndexOf(':')).replace(/^\[|\]$/g, '');
    if (this.#identifiers.get(recorded)?.includes(`=${host}`)) return [];
    return [...this.#agents].filter((link) => link !== recorded && !this.#draining.has(link));
  }

  async #bytes(link: string, line: Line, isOurs: boolean): Promise<void> {
    const connection = this.#connects.get(link);
    const bytes = bytesOf(line as Parameters<typeof bytesOf>[0]);
    if (isOurs) connection?.socket.write(bytes);
    else await connection?.expect(bytes);
  }

  async #event({ event, path, status, what, text }: Line): Promise<void> {
    if (event === 'kill' && String(what).startsWith('server')) this.#stopping ??= this.#server.stop();
    if (event === 'step' && String(text).startsWith(flagsStep)) await this.#setFlags(String(text));
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

  /** The flags that a server starts with, beside those that all of a recording have. */
  async #setFlags(text: string): Promise<void> {
    const common = this.#common.filter((flag) => !flag.startsWith('--graceful'));
    this.#flags = [...common, ...text.slice(flagsStep.length).split(' ').filter(Boolean)];
    this.#stopping ??= this.#server.stop();
    await this.#restart();
  }

  /** Starts the server again, if it was stopped. */
  async #restart(): Promise<void> {
    if (this.#stopping === undefined) return;
    await this.#stopping;
    this.#agents.clear();
    this.#server = this.#create();
    this.#stopping = undefined;
    await this.#server.start();
  }
}

const flagsStep = 'server flags ';
