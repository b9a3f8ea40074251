import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import * as https from 'node:https';
import { isIP, type Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import { hostOf, nodeHttp } from '@annex/runtime';

/** How long a proxy may take to connect, in milliseconds. Source: the TLS handshake timeout of client-go's transport. */
export const proxyTimeoutMs = 30_000;

/** Where a connection through a proxy ends. */
export interface Destination {
  host: string;
  port: number;
}

/** The TLS settings for an https proxy. Go verifies it with the CA of the cluster. */
export interface ProxyTls {
  secureContext: SecureContext;
  rejectUnauthorized: boolean;
}

/** Opens a connection through a proxy. Names are resolved by the proxy, for every scheme. Rejects with the reason of the proxy. */
export const dialThroughProxy = (proxy: URL, to: Destination, tls: ProxyTls): Promise<Socket> =>
  proxy.protocol.startsWith('socks5') ? dialSocks(proxy, to) : dialConnect(proxy, to, tls);

async function dialSocks(proxy: URL, to: Destination): Promise<Socket> {
  const { SocksClient } = await import('socks');
  const { username, password } = credentialsOf(proxy);
  try {
    const connected = await SocksClient.createConnection({
      proxy: {
        host: hostOf(proxy),
        port: portOf(proxy),
        type: 5,
        ...(username === '' ? {} : { userId: username, password }),
      },
      command: 'connect',
      destination: to,
      timeout: proxyTimeoutMs,
    });
    return connected.socket;
  } catch (error) {
    // The error of the library has the credentials, and no code.
    const { message } = error as Error;
    const code = /^connect (E[A-Z]+) /.exec(message)?.[1];
    if (code === undefined) throw new ProxyError(message);
    throw unreachable(proxy, Object.assign(new Error(message), { code, syscall: 'connect' }));
  }
}

/** The error of a connection to a proxy names the proxy. */
function unreachable(proxy: URL, cause: NodeJS.ErrnoException): ProxyError {
  const to = { host: hostOf(proxy), port: portOf(proxy) };
  return new ProxyError(`the proxy ${proxy.host} cannot be reached: ${cause.message}`, { cause, to });
}

/** A proxy that cannot be reached, or that refuses. Its code is that of the network, or `EPROXY`. */
class ProxyError extends Error {
  override readonly name = 'ProxyError';
  readonly code: string;
  /** The address of a proxy that cannot be reached. */
  readonly proxy: Destination | undefined;

  constructor(message: string, failed?: { cause: NodeJS.ErrnoException; to: Destination }) {
    super(message, failed && { cause: failed.cause });
    this.code = failed?.cause.code ?? 'EPROXY';
    this.proxy = failed?.to;
  }
}

async function dialConnect(proxy: URL, to: Destination, tls: ProxyTls): Promise<Socket> {
  const host = hostOf(proxy);
  const authority = `${isIP(to.host) === 6 ? `[${to.host}]` : to.host}:${to.port}`;
  const options = {
    host,
    port: portOf(proxy),
    method: 'CONNECT',
    path: authority,
    agent: false,
    signal: AbortSignal.timeout(proxyTimeoutMs),
    headers: { Host: authority, ...proxyHeaders(proxy) },
  } as const;
  const { protocol } = proxy;
  const sent =
    protocol === 'https:'
      ? https.request({ ...options, ...tls, ...(isIP(host) === 0 ? { servername: host } : {}) })
      : nodeHttp.request(options);
  sent.end();
  const refused = once(sent, 'response').then(([response]) => {
    (response as IncomingMessage).destroy();
    throw refusal(response as IncomingMessage);
  });
  const accepted = once(sent, 'connect').then(([response, socket, head]) => {
    if ((response as IncomingMessage).statusCode !== 200) {
      (socket as Socket).destroy();
      throw refusal(response as IncomingMessage);
    }
    if ((head as Buffer).length > 0) (socket as Socket).unshift(head as Buffer);
    return socket as Socket;
  });
  refused.catch(() => undefined);
  try {
    return await Promise.race([accepted, refused as Promise<never>]);
  } catch (error) {
    const { syscall } = error as NodeJS.ErrnoException;
    throw syscall === 'connect' || syscall === 'getaddrinfo' ? unreachable(proxy, error as Error) : error;
  }
}

/** Like client-go, the text of the status is the reason. */
const refusal = ({ statusCode = 0, statusMessage = '' }: IncomingMessage): ProxyError =>
  new ProxyError(`the proxy refused the connection: ${statusCode} ${statusMessage}`);

/** The header with the credentials of the proxy's URL, if it has any. */
export function proxyHeaders(proxy: URL): Record<string, string> {
  const { username, password } = credentialsOf(proxy);
  if (username === '' && password === '') return {};
  const credentials = Buffer.from(`${username}:${password}`).toString('base64');
  return { 'Proxy-Authorization': `Basic ${credentials}` };
}

const credentialsOf = ({ username, password }: URL) => ({
  username: decodeURIComponent(username),
  password: decodeURIComponent(password),
});

const defaultPorts = new Map([
  ['http:', 80],
  ['https:', 443],
]);

/** Source of the default of SOCKS: Go's net/http. */
const portOf = ({ port, protocol }: URL): number => Number(port) || (defaultPorts.get(protocol) ?? 1080);
