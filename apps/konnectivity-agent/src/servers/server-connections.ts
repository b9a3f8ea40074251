import type { Logger } from '@annex/runtime';
import { KeepAlive, type KeepAliveTimes } from '@annex/tunnel';
import { maxServers } from '../limits.ts';
import { AgentStream, type AgentStreamSetting } from './agent-stream.ts';
import { type AcceptedStream, type AgentIdentity, connectServer } from './connect-server.ts';
import { type ServerAddress, serverAddresses } from './server-address.ts';

/** How an agent keeps itself connected. Times are milliseconds. */
export interface ServerConnectionsSetting extends AgentStreamSetting {
  hosts: readonly string[];
  port: number;
  identity: AgentIdentity;
  syncIntervalMs: number;
  syncIntervalCapMs: number;
  /** Looks for further servers at every interval. */
  syncForever: boolean;
  keepAlive: KeepAliveTimes;
  /** The number of servers by another source than the servers themselves. */
  serverCount: (announced: number) => number;
}

/** Upstream servers disconnect agents that ping more often: its `MinTime` of 30 s. */
const upstreamKeepAliveMs = 31_000;

/** How often an agent that is connected to all servers that it knows of looks for further ones. */
const searchMs = 30_000;

const backoffFactor = 1.5;
const jitter = 0.1;

interface Server {
  id: string;
  address: string;
  stream: AgentStream;
  accepted: AcceptedStream;
}

/** Connects to every server, once each, and connects again after a disconnection. */
export class ServerConnections {
  readonly #setting: ServerConnectionsSetting;
  readonly #log: Logger;
  readonly #servers = new Map<string, Server>();
  readonly #stopped = new AbortController();
  #announced = 1;
  #wake: () => void = () => undefined;
  #searchedAt = 0;

  constructor(setting: ServerConnectionsSetting) {
    this.#setting = setting;
    this.#log = setting.log;
  }

  get size(): number {
    return this.#servers.size;
  }

  get known(): number {
    return this.#setting.serverCount(this.#announced);
  }

  /** Connections to destinations. */
  get connections(): number {
    return this.#sum('connections');
  }

  start(): void {
    void this.#run();
  }

  /** Requests no new dials; open connections have this time in milliseconds. */
  async stop(drainMs: number): Promise<void> {
    this.#stopped.abort();
    this.#wake();
    const servers = [...this.#servers.values()];
    for (const { stream } of servers) stream.packets.send({ type: 'DRAIN' });
    const until = performance.now() + drainMs;
    while (this.#sum('load') > 0 && performance.now() < until) await pause(50);
    for (const { stream, accepted } of servers) {
      stream.packets.end();
      accepted.session.close();
    }
    await Promise.race([Promise.all(servers.map(closed)), pause(500)]);
    for (const { accepted } of servers) accepted.session.destroy();
  }

  async #run(): Promise<void> {
    let wait = this.#setting.syncIntervalMs;
    while (!this.#stopped.signal.aborted) {
      const isBetter = await this.#sync();
      const { syncIntervalMs, syncIntervalCapMs } = this.#setting;
      wait = isBetter ? syncIntervalMs : Math.min(wait * backoffFactor, syncIntervalCapMs);
      await this.#sleep(wait * (1 + Math.random() * jitter));
    }
  }

  /** Connects to servers that are missing. Returns whether one was found, or none is missing. */
  async #sync(): Promise<boolean> {
    const { hosts, port } = this.#setting;
    const addresses = await serverAddresses(hosts, port);
    const connected = new Set([...this.#servers.values()].map(({ address }) => address));
    const missing = addresses.filter((address) => !connected.has(textOf(address)));
    const candidates = missing.length > 0 ? missing : this.#isComplete() ? [] : addresses.slice(0, 1);
    if (candidates.length === 0) return true;
    this.#searchedAt = performance.now();
    const found = await Promise.all(candidates.map((address) => this.#connect(address)));
    return found.includes(true);
  }

  /** A count that is out of date corrects itself, because further servers are looked for now and then. */
  #isComplete(): boolean {
    if (this.size === 0 || this.size < this.known || this.#setting.syncForever) return false;
    return performance.now() - this.#searchedAt < searchMs;
  }

  async #connect(address: ServerAddress): Promise<boolean> {
    try {
      return this.#accept(await connectServer(address, this.#setting.identity), textOf(address));
    } catch (error) {
      this.#log.warn('cannot connect to a server', {
        server: textOf(address),
        reason: (error as Error).message,
      });
      return false;
    }
  }

  #accept(accepted: AcceptedStream, address: string): boolean {
    const { session, serverId, serverCount } = accepted;
    this.#announced = Math.min(serverCount, maxServers);
    if (this.#stopped.signal.aborted || this.#servers.has(serverId)) {
      // Behind a balancer, the same server may come again.
      session.destroy();
      return false;
    }
    const stream = new AgentStream(accepted.stream.packets, accepted.extensions, this.#setting);
    const server: Server = { id: serverId, address, stream, accepted };
    this.#servers.set(serverId, server);
    this.#log.info('connected to a server', { server: serverId, address });
    this.#serve(server);
    return true;
  }

  #serve({ id, stream, accepted }: Server): void {
    const { session } = accepted;
    let why: Error | undefined;
    const keepAlive = new KeepAlive(session, this.#keepAliveOf(accepted), () => {
      why = new Error('the server does not respond');
      session.destroy();
    });
    accepted.stream.onStatus((error) => (why ??= error));
    const { counts, serverLost } = this.#setting.metrics;
    const receiver = counts.counted({
      packet: (packet) => stream.received(packet),
      ended: () => stream.packets.end(),
      closed: (error) => {
        keepAlive.stop();
        if (!this.#stopped.signal.aborted) serverLost();
        session.close();
        this.#servers.delete(id);
        this.#log.info('disconnected from a server', { server: id, reason: (why ?? error)?.message });
        stream.lost();
        this.#wake();
      },
    });
    stream.packets.observe(counts);
    stream.packets.start(receiver);
  }

  #keepAliveOf({ extensions }: AcceptedStream): KeepAliveTimes {
    const { keepAlive } = this.#setting;
    if (extensions.size > 0) return keepAlive;
    return { ...keepAlive, intervalMs: Math.max(keepAlive.intervalMs, upstreamKeepAliveMs) };
  }

  #sum(of: 'load' | 'connections'): number {
    return [...this.#servers.values()].reduce((sum, { stream }) => sum + stream[of], 0);
  }

  async #sleep(ms: number): Promise<void> {
    if (this.#stopped.signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    this.#wake = () => {
      clearTimeout(timer);
      // Many agents lose a server at once: they do not all come back in the same moment.
      setTimeout(resolve, Math.random() * this.#setting.syncIntervalMs);
    };
    await promise;
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const closed = ({ accepted: { session } }: Server): Promise<void> =>
  new Promise((resolve) => {
    if (session.destroyed) resolve();
    else session.once('close', resolve);
  });

const textOf = ({ host, port }: ServerAddress): string =>
  host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
