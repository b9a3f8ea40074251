import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, createSecureContext, type SecureContext } from 'node:tls';
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

/** A proxy server with TLS. Changed certificates are used for new connections. Throws if they cannot be read at first. */
export function tlsServer(url: string, tls: EgressTls): ProxyServer {
  const parsed = new URL(url);
  const host = hostOf(parsed);
  const port = Number(parsed.port || 443);
  const context = new FileContext(tls);
  const servername = tls.tlsServerName || host;
  return {
    name: parsed.host,
    async open(signal) {
      const socket = await established(connectTcp({ host, port }), 'connect', signal);
      const name = isIP(servername) === 0 ? { servername } : {};
      return await established(
        connectTls({ socket, host: servername, secureContext: context.current(), ...name }),
        'secureConnect',
        signal,
      );
    },
  };
}

/** The certificates of files. They are read for each connection: a dial is rare, and waits for the network anyway. */
class FileContext {
  readonly #tls: EgressTls;
  #texts: readonly (string | undefined)[];
  #context: SecureContext;

  constructor(tls: EgressTls) {
    this.#tls = tls;
    this.#texts = readTexts(tls);
    this.#context = contextOf(this.#texts);
  }

  /** While files are being replaced, the certificate may not fit the key: then the previous ones are used. */
  current(): SecureContext {
    try {
      const texts = readTexts(this.#tls);
      if (texts.some((text, index) => text !== this.#texts[index])) {
        this.#context = contextOf(texts);
        this.#texts = texts;
      }
    } catch {
      return this.#context;
    }
    return this.#context;
  }
}

const readTexts = ({ caBundle, clientCert, clientKey }: EgressTls): (string | undefined)[] => [
  caBundle === '' ? undefined : readTextFileSync(caBundle),
  readTextFileSync(clientCert),
  readTextFileSync(clientKey),
];

function contextOf([ca, cert, key]: readonly (string | undefined)[]): SecureContext {
  // Node ignores a bundle without a certificate, and would trust nobody.
  if (ca !== undefined) void new X509Certificate(ca);
  return createSecureContext({ ...trustedCertificates(ca), cert, key });
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
