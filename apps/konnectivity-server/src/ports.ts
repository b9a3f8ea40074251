import type { ServerHttp2Session } from 'node:http2';
import type { Server } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  createPageServer,
  type HostPort,
  listen,
  type Listening,
  type LiveFiles,
  type Logger,
  type Pages,
  type SocketPlace,
  type Validated,
} from '@annex/runtime';
import { agentAuthenticator } from './agents/agent-authenticator.ts';
import type { AgentPool } from './agents/agent-pool.ts';
import { createAgentServer } from './agents/serve-agents.ts';
import { createConnectServer } from './frontends/serve-connect.ts';
import { createGrpcServer } from './frontends/serve-grpc.ts';
import type { ServerMetrics } from './metrics.ts';
import type { KonnectivityServerConfig } from './options.ts';
import { openPortTls, type PortTls } from './tls.ts';
import type { DialSetting } from './tunnel/dial.ts';
import { UnreadLimit } from './tunnel/unread-limit.ts';

/** The addresses that a server listens on: `host:port`, or the path of a Unix socket. */
export interface Addresses {
  frontend: string;
  agents: string;
  health: string;
  admin: string;
}

/** The group may use a Unix socket, nobody else. */
const socketMask = 0o007;

/** Turns of the event loop in which the end of the last connection reaches its agent. It takes two or three. */
const turnsOfAnEnd = 100;

/** What the ports lead to. */
export interface PortsSetting {
  config: Validated<KonnectivityServerConfig>;
  agents: AgentPool;
  serverId: string;
  files: LiveFiles;
  log: Logger;
  measured: ServerMetrics;
  maxUnreadClientsBytes: number | undefined;
}

/** The ports of a server. Opening one throws OperatorErrors. */
export class Ports {
  readonly addresses: Addresses = { frontend: '', agents: '', health: '', admin: '' };
  readonly #setting: PortsSetting;
  readonly #dials: DialSetting;
  readonly #listening: Listening[] = [];
  /** The gRPC connections of API servers. */
  readonly #sessions = new Set<ServerHttp2Session>();
  #frontend: Listening | undefined;
  #agents: Listening | undefined;

  constructor(setting: PortsSetting) {
    this.#setting = setting;
    const { agents, config, measured } = setting;
    this.#dials = {
      agents,
      timeoutMs: config.backendDialTimeout,
      observed: measured.dialed,
      failed: measured.dialFailed,
    };
  }

  async openMonitors(health: Pages, admin: Pages): Promise<void> {
    const { config } = this.#setting;
    const { healthHost, healthPort, adminHost, adminPort } = config;
    await this.#open('health', createPageServer(health), { host: healthHost, port: healthPort });
    await this.#open('admin', createPageServer(admin), { host: adminHost, port: adminPort });
  }

  async openAgents(): Promise<void> {
    const { config, agents, serverId, files, log, measured } = this.#setting;
    const unread = new UnreadLimit(() => agents.connections(), this.#setting.maxUnreadClientsBytes);
    const { clusterCert, clusterKey, clusterCaCert: ca } = config;
    const tls = await openPortTls(files, config, { cert: clusterCert!, key: clusterKey!, ca });
    const server = createAgentServer(tls.options, {
      agents,
      serverId,
      serverCount: () => config.serverCount,
      keepAlive: { intervalMs: config.keepaliveTime, timeoutMs: config.keepaliveTimeout },
      authenticate: await agentAuthenticator(config),
      idFromCertificate: config.agentIdFromCertificate,
      counts: measured.agentCounts,
      unrecognized: () => measured.dialFailed('unrecognized_response'),
      gave: (bytes) => unread.received(bytes),
      wrote: measured.frontendWrote,
      log,
    });
    tls.follow(server);
    this.#agents = await this.#open('agents', server, {
      host: config.agentBindAddress,
      port: config.agentPort,
    });
  }

  async openFrontend(): Promise<void> {
    const { config } = this.#setting;
    const { udsName, deleteExistingUdsFile: deleteExisting } = config;
    const tls = udsName === undefined ? await this.#frontendTls() : undefined;
    const server = config.mode === 'grpc' ? this.#grpcServer(tls) : this.#connectServer(tls);
    tls?.follow(server);
    const place =
      udsName === undefined
        ? { host: config.serverBindAddress, port: config.serverPort }
        : { path: udsName, mask: socketMask, deleteExisting };
    this.#frontend = await this.#open('frontend', server, place);
  }

  /** Accepts nothing more from the API server, which connects elsewhere; its open connections go on. */
  refuse(): void {
    this.#frontend?.refuse();
    for (const session of this.#sessions) session.close();
  }

  /** Ends all connections: first those of agents, so that clients receive the ends of theirs. */
  async end(): Promise<void> {
    await this.#agents?.end();
    const { agents } = this.#setting;
    for (let turn = 0; agents.size > 0 && turn < turnsOfAnEnd; turn++) await nextTurn();
    // What is sent in a turn is written at its end.
    await nextTurn();
    await Promise.all(this.#listening.map((listening) => listening.end()));
  }

  async #open(name: keyof Addresses, server: Server, place: HostPort | SocketPlace): Promise<Listening> {
    const listening = await listen(server, place);
    this.#listening.push(listening);
    this.addresses[name] = listening.address;
    return listening;
  }

  #frontendTls(): Promise<PortTls> {
    const { config, files } = this.#setting;
    const { serverCert, serverKey, serverCaCert: ca } = config;
    return openPortTls(files, config, { cert: serverCert!, key: serverKey!, ca });
  }

  #grpcServer(tls: PortTls | undefined): Server {
    const { grpcStreams, frontendCounts: counts } = this.#setting.measured;
    return createGrpcServer(tls?.options, this.#dials, {
      ...grpcStreams,
      counts,
      session: (session) => {
        this.#sessions.add(session);
        session.once('close', () => this.#sessions.delete(session));
      },
    });
  }

  #connectServer(tls: PortTls | undefined): Server {
    return createConnectServer(tls?.options, this.#dials, this.#setting.measured.connectOpened);
  }
}
