import { once } from 'node:events';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, createSecureContext } from 'node:tls';
import { hostOf, readTextFileSync, trustedCertificates } from '@annex/runtime';
import type { EgressTls } from './configuration.ts';

/** Opens connections to a proxy server. */
export interface ProxyServer {
  /** The path of its socket, or its host and port: its name in errors. */
  readonly name: string;
  /** Rejects with the error of the connection. */
  open(signal: AbortSignal): Promise<Socket>;
}

/** A proxy server on a Unix socket. */
export const unixServer = (path: string): ProxyServer => ({
  name: path,
  open: (signal) => established(connectTcp({ path }), 'connect', signal),
});

/** A proxy server with TLS. Throws if its certificates cannot be read. */
export function tlsServer(
  url: string,
  { caBundle, clientCert, clientKey, tlsServerName }: EgressTls,
): ProxyServer {
  const parsed = new URL(url);
  const host = hostOf(parsed);
  const port = Number(parsed.port || 443);
  const secureContext = createSecureContext({
    ...trustedCertificates(caBundle === '' ? undefined : readTextFileSync(caBundle)),
    cert: readTextFileSync(clientCert),
    key: readTextFileSync(clientKey),
  });
  const servername = tlsServerName || host;
  return {
    name: parsed.host,
    async open(signal) {
      const socket = await established(connectTcp({ host, port }), 'connect', signal);
      const name = isIP(servername) === 0 ? { servername } : {};
      return await established(
        connectTls({ socket, host: servername, secureContext, ...name }),
        'secureConnect',
        signal,
      );
    },
  };
}

/** The signal ends the attempt only: an established connection outlives it. */
async function established<S extends Socket>(socket: S, event: string, signal: AbortSignal): Promise<S> {
  try {
    await once(socket, event, { signal });
    return socket;
  } catch (error) {
    socket.on('error', () => undefined).destroy();
    throw error;
  }
}
