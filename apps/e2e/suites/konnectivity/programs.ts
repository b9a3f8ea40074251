import { writeFileSync } from 'node:fs';
import { connect as connectTcp } from 'node:net';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import {
  createTestCA,
  findTool,
  freePorts,
  type RunningProcess,
  startProcess,
  tempFolder,
} from '@annex/testkit';
import { TunnelDialer } from '@annex/tunnel';
import { annexCommand, annexNode } from '../../runners/annex-command.ts';
import { connectThrough } from './connect-through.ts';

/** Whose program it is. */
export type Maker = 'annex' | 'upstream';
export type Mode = 'grpc' | 'http-connect';
export type Transport = 'uds' | 'tcp';

/** Upstream's programs, where they are in PATH. */
export const upstreamPrograms = ['proxy-server', 'proxy-agent'] as const;

/** What a server is started with. */
export interface ServerOptions {
  maker?: Maker;
  mode?: Mode;
  transport?: Transport;
  args?: readonly string[];
}

/** A server that runs. */
export interface TunnelServer {
  process: RunningProcess;
  agentPort: number;
  /** Where the API server connects to: a Unix socket, or a URL. */
  frontend: string;
  /** The URL of its health port. */
  health: string;
  /** Connects to a destination as the API server does. */
  dial(address: string, signal?: AbortSignal): Promise<Duplex>;
  /** Opens a connection to the frontend. */
  connect(): Duplex;
}

/** What an agent is started with. */
export interface AgentOptions {
  maker?: Maker;
  id?: string;
  args?: readonly string[];
  /** The port of the server, if something is between the two. */
  port?: number;
}

/** An agent that runs. */
export interface TunnelAgent {
  process: RunningProcess;
  health: string;
}

/** Starts the programs of a tunnel, and stops them at the end. */
export class TunnelPrograms implements AsyncDisposable {
  readonly folder = tempFolder('annex-tunnel-');
  readonly #running: RunningProcess[] = [];
  readonly #dialers: TunnelDialer[] = [];
  readonly ca = createTestCA('konnectivity-ca');
  #count = 0;

  constructor() {
    const { certificate, key } = this.ca.issue({
      commonName: 'server',
      ipAddresses: ['127.0.0.1', '127.0.0.2'],
      dnsNames: ['localhost'],
    });
    const client = this.ca.issue({ commonName: 'client' });
    this.file('ca.crt', this.ca.certificate);
    this.file('server.crt', certificate);
    this.file('server.key', key);
    this.file('client.crt', client.certificate);
    this.file('client.key', client.key);
  }

  /** Writes a file; returns its path. Without content, only the path. */
  file(name: string, content?: string): string {
    const path = join(this.folder.path, name);
    if (content !== undefined) writeFileSync(path, content, { mode: 0o600 });
    return path;
  }

  async server(options: ServerOptions = {}): Promise<TunnelServer> {
    const { maker = 'annex', mode = 'grpc', transport = 'uds', args = [] } = options;
    const [agentPort = 0, healthPort = 0, adminPort = 0, serverPort = 0] = await freePorts(4);
    const socket = this.file(`server-${++this.#count}.socket`);
    const process = await this.#start(maker, 'server', [
      `--mode=${mode}`,
      `--agent-port=${agentPort}`,
      `--health-port=${healthPort}`,
      `--admin-port=${adminPort}`,
      `--cluster-cert=${this.file('server.crt')}`,
      `--cluster-key=${this.file('server.key')}`,
      ...(args.some((arg) => arg.startsWith('--agent-namespace'))
        ? []
        : [`--cluster-ca-cert=${this.file('ca.crt')}`]),
      ...(transport === 'uds' ? [`--uds-name=${socket}`, '--server-port=0'] : this.#tcpArgs(serverPort)),
      ...args,
    ]);
    const health = `http://127.0.0.1:${healthPort}`;
    await reaches(`${health}/healthz`);
    const connect = transport === 'uds' ? () => connectTcp(socket) : () => this.#connectTls(serverPort, mode);
    const frontend = transport === 'uds' ? socket : `https://127.0.0.1:${serverPort}`;
    return { process, agentPort, frontend, health, connect, dial: this.dialBy(mode, { connect }) };
  }

  async agent(server: Pick<TunnelServer, 'agentPort'>, options: AgentOptions = {}): Promise<TunnelAgent> {
    const { maker = 'annex', id = `agent-${++this.#count}`, args = [], port = server.agentPort } = options;
    const [healthPort = 0, adminPort = 0] = await freePorts(2);
    const process = await this.#start(maker, 'agent', [
      `--proxy-server-port=${port}`,
      `--ca-cert=${this.file('ca.crt')}`,
      ...(args.some((arg) => arg.startsWith('--service-account-token-path'))
        ? []
        : [`--agent-cert=${this.file('client.crt')}`, `--agent-key=${this.file('client.key')}`]),
      `--agent-id=${id}`,
      `--health-server-port=${healthPort}`,
      `--admin-server-port=${adminPort}`,
      '--sync-interval=100ms',
      ...(maker === 'annex' && !args.some((arg) => arg.startsWith('--allow-destinations'))
        ? ['--allow-destinations=127.0.0.0/8,::1,localhost']
        : []),
      ...args,
    ]);
    return { process, health: `http://127.0.0.1:${healthPort}` };
  }

  /** A server and an agent that are connected. */
  async tunnel(
    server: ServerOptions = {},
    agent: AgentOptions = {},
  ): Promise<{ server: TunnelServer; agent: TunnelAgent }> {
    const started = await this.server(server);
    const joined = await this.agent(started, agent);
    await reaches(`${started.health}/readyz`);
    return { server: started, agent: joined };
  }

  /** Opens a connection to the port of agents. */
  connectAgent({ agentPort: port }: Pick<TunnelServer, 'agentPort'>): Duplex {
    const { certificate: cert, key } = this.ca.issue({ commonName: 'raw agent' });
    return connectTls({ port, host: '127.0.0.1', ca: this.ca.certificate, cert, key, ALPNProtocols: ['h2'] });
  }

  /** Connects to destinations by the protocol of a mode. */
  dialBy(mode: Mode, { connect }: Pick<TunnelServer, 'connect'>): TunnelServer['dial'] {
    if (mode === 'http-connect') return (address) => connectThrough(connect(), address);
    const dialer = new TunnelDialer({ connect, server: 'the server' });
    this.#dialers.push(dialer);
    return async (address, signal) => {
      const connection = await dialer.dial(address, signal);
      // What becomes of the connection is seen by its reader.
      return connection.on('error', () => undefined);
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const dialer of this.#dialers) dialer.close();
    await Promise.all(this.#running.map((process) => process.stop('SIGKILL')));
    this.folder[Symbol.dispose]();
  }

  #tcpArgs(port: number): string[] {
    return [
      `--server-port=${port}`,
      `--server-cert=${this.file('server.crt')}`,
      `--server-key=${this.file('server.key')}`,
      `--server-ca-cert=${this.file('ca.crt')}`,
    ];
  }

  #connectTls(port: number, mode: Mode): Duplex {
    const { certificate: cert, key } = this.ca.issue({ commonName: 'kube-apiserver' });
    const ALPNProtocols = [mode === 'grpc' ? 'h2' : 'http/1.1'];
    return connectTls({ port, host: '127.0.0.1', ca: this.ca.certificate, cert, key, ALPNProtocols });
  }

  async #start(maker: Maker, program: 'server' | 'agent', args: readonly string[]): Promise<RunningProcess> {
    const process =
      maker === 'upstream'
        ? await startProcess(findTool(`proxy-${program}`)!, { args })
        : await startProcess(annexNode, {
            args: [annexCommand, `konnectivity-${program}`, ...args, '--log-level=info'],
            until: /is ready in/,
          });
    this.#running.push(process);
    return process;
  }
}

/** Waits until a URL responds with 200. */
export async function reaches(url: string, status = 200): Promise<string> {
  for (;;) {
    const response = await fetch(url).catch(() => undefined);
    if (response?.status === status) return await response.text();
    await response?.text();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
