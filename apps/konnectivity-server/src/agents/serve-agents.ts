import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import type { Server } from 'node:net';
import type { TlsOptions } from 'node:tls';
import type { Logger } from '@annex/runtime';
import {
  acceptStream,
  announceExtensions,
  createStreamServer,
  GrpcError,
  grpcStatus,
  isGone,
  KeepAlive,
  type KeepAliveTimes,
  type PacketReceiver,
  readExtensions,
  refuseStream,
  type StreamCounts,
} from '@annex/tunnel';
import { firstRequestTimeoutMs, maxAgentConnections, maxAgentStreams } from '../limits.ts';
import { Agent } from './agent.ts';
import { readAgentHeaders } from './agent-headers.ts';
import type { AgentPool } from './agent-pool.ts';

/** Decides whether an agent may connect, by its raw headers. Rejects with GrpcError. */
export type AgentAuthenticator = (rawHeaders: readonly string[]) => Promise<void>;

/** What the port of the agents needs. */
export interface AgentServing {
  agents: AgentPool;
  serverId: string;
  /** The number of servers that agents are to connect to. */
  serverCount(): number;
  keepAlive: KeepAliveTimes;
  authenticate: AgentAuthenticator;
  /** The ID of an agent must be the common name of its certificate. */
  idFromCertificate: boolean;
  counts: StreamCounts;
  /** Called for the response of a dial that is not pending. */
  unrecognized(): void;
  /** Bytes of an agent were given to a client. */
  gave(bytes: number): void;
  /** A client took bytes of an agent, after this time. */
  wrote(seconds: number): void;
  log: Logger;
}

/** Creates the server that agents connect to. */
export const createAgentServer = (tls: TlsOptions, serving: AgentServing): Server =>
  createStreamServer({
    method: '/AgentService/Connect',
    tls,
    maxStreams: maxAgentStreams,
    maxConnections: maxAgentConnections,
    firstStreamMs: firstRequestTimeoutMs,
    stream(stream, headers, rawHeaders, certificate) {
      const name = certificate?.subject?.CN;
      connect(stream, { headers, rawHeaders, name }, serving).catch((error: unknown) => {
        const refusal =
          error instanceof GrpcError ? error : new GrpcError(grpcStatus.UNKNOWN, (error as Error).message);
        serving.log.warn('an agent was refused', { reason: refusal.message });
        refuseStream(stream, refusal);
      });
    },
  });

/** What an agent sends when it connects. */
interface AgentRequest {
  headers: IncomingHttpHeaders;
  rawHeaders: readonly string[];
  /** The common name of its certificate; several are a list. */
  name: string | string[] | undefined;
}

async function connect(
  stream: ServerHttp2Stream,
  { headers, rawHeaders, name }: AgentRequest,
  serving: AgentServing,
): Promise<void> {
  await serving.authenticate(rawHeaders);
  const { id, identifiers } = readAgentHeaders(rawHeaders);
  if (serving.idFromCertificate && id !== name)
    throw new GrpcError(
      grpcStatus.UNKNOWN,
      `the agent ID ${JSON.stringify(id)} is not the common name of the certificate`,
    );
  const { session } = stream;
  // The client may go away while it is authenticated.
  if (isGone(stream) || session === undefined) return;
  const { agents, counts, log, unrecognized, gave, wrote } = serving;
  const metadata = {
    serverid: serving.serverId,
    servercount: String(serving.serverCount()),
    ...announceExtensions(['half-close', 'window']),
  };
  const packets = acceptStream(stream, { metadata });
  let why = `the agent ${id} disconnected`;
  const keepAlive = new KeepAlive(session, serving.keepAlive, () => {
    why = `the agent ${id} does not respond`;
    session.destroy();
  });
  const description = { id, identifiers, extensions: readExtensions(headers) };
  const agent = new Agent(description, packets, { keepAlive, unrecognized, gave, wrote });
  agents.add(agent);
  log.info('an agent connected', { agent: id });
  const receiver: PacketReceiver = {
    packet: (packet) => agent.received(packet),
    ended: () => packets.end(),
    closed: (error) => {
      keepAlive.stop();
      agents.remove(agent);
      log.info('an agent disconnected', { agent: id, reason: error?.message ?? why });
      agent.lost(error === undefined ? why : `${why}: ${error.message}`);
    },
  };
  packets.observe(counts);
  packets.start(counts.counted(receiver));
}
