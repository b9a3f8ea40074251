import { createServer, type Server, type Socket } from 'node:net';
import { pipeline } from 'node:stream';
import type { DestinationRules, Logger } from '@annex/runtime';
import type { Accounts } from './accounts.ts';
import { ByteReader } from './byte-reader.ts';
import { dial } from './dial.ts';
import { socksDialTimeoutMs, socksHandshakeTimeoutMs, socksKeepAliveMs } from './limits.ts';
import {
  credentialsMessage,
  type Destination,
  methodMessage,
  methods,
  readCredentials,
  readDestination,
  readMethods,
  replies,
  replyMessage,
  SocksError,
} from './messages.ts';

/** What a SOCKS5 server lets in, and where it leads. */
export interface SocksSetting {
  /** Returns the rules of now. */
  rules(): DestinationRules;
  /** Returns the users of now. Undefined if clients need no credentials. */
  accounts?: (() => Accounts) | undefined;
  maxConnections: number;
  log: Logger;
  /** Milliseconds for the request of a client. Default {@link socksHandshakeTimeoutMs}. */
  handshakeTimeoutMs?: number;
}

/** Creates a SOCKS5 server (RFC 1928, 1929) that does not listen yet. It supports CONNECT only. */
export function createSocksServer(setting: SocksSetting): Server {
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (client) => {
    client.on('error', () => client.destroy());
    void serve(client, setting);
  });
  server.maxConnections = setting.maxConnections;
  return server;
}

/** Serves one connection to its end. Never rejects. */
async function serve(client: Socket, setting: SocksSetting): Promise<void> {
  const log = setting.log.child({ client: client.remoteAddress });
  let to: Destination | undefined;
  try {
    const reader = new ByteReader(
      client,
      AbortSignal.timeout(setting.handshakeTimeoutMs ?? socksHandshakeTimeoutMs),
    );
    const user = await authenticate(client, reader, setting.accounts?.());
    to = await readDestination(reader);
    const upstream = await dial(to, setting.rules(), AbortSignal.timeout(socksDialTimeoutMs));
    if (client.destroyed) return void upstream.destroy();
    upstream.write(reader.release());
    log.info('connected', { user, to: `${to.host}:${to.port}` });
    client.write(replyMessage(replies.succeeded));
    join(client, upstream);
  } catch (error) {
    const reply = error instanceof SocksError ? error.reply : undefined;
    const { message } = error as Error;
    log.warn('refused', { reason: message, ...(to ? { to: `${to.host}:${to.port}` } : {}) });
    if (reply === undefined) client.destroy();
    else client.end(replyMessage(reply)).destroySoon();
  }
}

/** Resolves to the name of the user, if one is required. */
async function authenticate(
  client: Socket,
  reader: ByteReader,
  accounts: Accounts | undefined,
): Promise<string | undefined> {
  const offered = await readMethods(reader);
  const method = accounts === undefined ? methods.none : methods.credentials;
  if (!offered.has(method)) {
    client.end(methodMessage(methods.unacceptable));
    throw new SocksError('the client does not offer the method of authentication');
  }
  client.write(methodMessage(method));
  if (accounts === undefined) return undefined;
  const { user, password } = await readCredentials(reader);
  const areValid = accounts.has(user, password);
  client.write(credentialsMessage(areValid));
  if (areValid) return user;
  throw new SocksError('the credentials are wrong');
}

/** Joins both directions with backpressure. The end of one leaves the other one open; an error ends both. */
function join(client: Socket, upstream: Socket): void {
  for (const socket of [client, upstream]) socket.setKeepAlive(true, socksKeepAliveMs).setNoDelay(true);
  const failed = (error: NodeJS.ErrnoException | null | undefined): void => {
    if (!error) return;
    client.destroy();
    upstream.destroy();
  };
  if (client.readableEnded) upstream.end();
  else pipeline(client, upstream, failed);
  pipeline(upstream, client, failed);
}
