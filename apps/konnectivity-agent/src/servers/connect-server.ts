import type { ClientHttp2Session } from 'node:http2';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { checkServerIdentity, connect as connectTls } from 'node:tls';
import { trustedCertificates } from '@annex/runtime';
import {
  announceExtensions,
  connectSession,
  GrpcError,
  grpcStatus,
  type OpenedStream,
  openStream,
} from '@annex/tunnel';
import { serverConnectTimeoutMs } from '../limits.ts';
import type { ServerAddress } from './server-address.ts';

/** How an agent introduces itself to servers. Files are read for each connection, so that changed ones are used. */
export interface AgentIdentity {
  id: string;
  identifiers: string;
  caFile: string | undefined;
  certFile: string | undefined;
  keyFile: string | undefined;
  tokenFile: string | undefined;
  alpnProtocols: readonly string[];
}

/** A stream that a server accepted. */
export interface AcceptedStream {
  session: ClientHttp2Session;
  stream: OpenedStream;
  serverId: string;
  /** The number of servers that the server knows of. */
  serverCount: number;
  extensions: ReadonlySet<string>;
}

/** Connects to a server. Rejects with the reason of the server, of TLS, or of the network. */
export async function connectServer(
  address: ServerAddress,
  identity: AgentIdentity,
): Promise<AcceptedStream> {
  const tls = await tlsOptions(address, identity);
  const metadata = await metadataOf(identity);
  let failure: Error | undefined;
  let closed: Error | undefined;
  const connect = () => {
    const socket = connectTls(tls);
    // A server refuses a certificate after the handshake: Go's sends a reason, that of Node only closes the connection.
    socket.on('error', (error: Error) => (failure ??= readable(error)));
    for (const event of ['end', 'close']) socket.once(event, () => (closed ??= new Error(closedEarly)));
    return socket;
  };
  const session = connectSession(connect, 'https://server');
  session.on('error', (error: Error) => (failure ??= error));
  const stream = openStream(session, '/AgentService/Connect', metadata);
  const timer = setTimeout(() => {
    failure = new Error('the server did not respond in time');
    session.destroy();
  }, serverConnectTimeoutMs);
  try {
    const headers = await stream.headers;
    const { serverid, servercount } = headers;
    if (typeof serverid !== 'string') throw new GrpcError(grpcStatus.UNKNOWN, 'the server sent no server ID');
    return {
      session,
      stream,
      serverId: serverid,
      serverCount: Number(servercount) || 1,
      extensions: stream.extensions(),
    };
  } catch (error) {
    session.destroy();
    // A status of the server is the better reason.
    const isStatus = error instanceof GrpcError && error.code !== grpcStatus.UNAVAILABLE;
    throw failure ?? (isStatus ? error : (closed ?? error));
  } finally {
    clearTimeout(timer);
  }
}

/** Returns an alert of the server as Go describes it. OpenSSL's text names its source files. */
function readable(error: Error & { reason?: string }): Error {
  const alert = error.reason?.split(' alert ')[1];
  return alert === undefined ? error : new Error(`remote error: tls: ${alert}`, { cause: error });
}

const closedEarly =
  'the server closed the connection before it accepted the agent: does it trust the certificate of the agent?';

async function tlsOptions({ host, port, name }: ServerAddress, identity: AgentIdentity) {
  const { caFile, certFile, keyFile, alpnProtocols } = identity;
  const read = async (path: string | undefined) =>
    path === undefined ? undefined : await readFile(path, 'utf8');
  const [ca, cert, key] = await Promise.all([caFile, certFile, keyFile].map(read));
  return {
    host,
    port,
    noDelay: true,
    keepAlive: true,
    ALPNProtocols: ['h2', ...alpnProtocols],
    ...trustedCertificates(ca),
    ...(cert === undefined || key === undefined ? {} : { cert, key }),
    ...(isIP(name) === 0 ? { servername: name } : {}),
    checkServerIdentity: (_host: string, certificate: Parameters<typeof checkServerIdentity>[1]) =>
      checkServerIdentity(name, certificate),
  };
}

async function metadataOf({ id, identifiers, tokenFile }: AgentIdentity): Promise<Record<string, string>> {
  const token = tokenFile === undefined ? undefined : (await readFile(tokenFile, 'utf8')).trim();
  return {
    agentid: id,
    agentidentifiers: identifiers,
    ...announceExtensions(['half-close', 'window']),
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  };
}
