import { once } from 'node:events';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, type SecureContext } from 'node:tls';
import { goQuote, parseUrl } from '@annex/machinery';
import type { EgressTls } from './configuration.ts';
import { contextOf, readTlsFiles, type TlsTexts } from './tls-files.ts';

/** Opens connections to a proxy server. */
export interface ProxyServer {
  /** The path of its socket, or its host and port: its name in errors. */
  readonly name: string;
  /** Where it listens, unless that is a socket. */
  readonly address?: { host: string; port: number };
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
  const name = hostOf(url);
  const { host, port } = addressOf(name);
  const context = new FileContext(tls);
  const servername = tls.tlsServerName || host;
  return {
    name,
    address: { host, port },
    async open(signal) {
      if (host === '' && name === '') throw new Error('dial tcp: missing address');
      if (port > largestPort) throw new Error(`dial tcp: address ${port}: invalid port`);
      const socket = await established(connectTcp({ host, port }), 'connect', signal);
      const indication = isIP(servername) === 0 ? { servername } : {};
      return await established(
        connectTls({ socket, host: servername, secureContext: context.current(), ...indication }),
        'secureConnect',
        signal,
      );
    },
  };
}

const largestPort = 65_535;

/** Returns the host and the port of a URL, as they are written. Throws kube-apiserver's text. */
function hostOf(url: string): string {
  try {
    return parseUrl(url).host;
  } catch (error) {
    throw new Error(`invalid proxy server url ${goQuote(url)}: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

/** As in Go, a host that is empty is this machine, and each dial refuses a port that is too large. */
function addressOf(name: string): { host: string; port: number } {
  const colon = name.lastIndexOf(':');
  const hasPort = colon > name.lastIndexOf(']');
  const host = hasPort ? name.slice(0, colon) : name;
  const port = hasPort ? name.slice(colon + 1) : '';
  return {
    host: host.startsWith('[') ? host.slice(1, -1) : host,
    port: port === '' ? defaultPort : Number(port),
  };
}

const defaultPort = 443;

/** The certificates of files. They are read for each connection: a dial is rare, and waits for the network anyway. */
class FileContext {
  readonly #tls: EgressTls;
  #texts: TlsTexts;
  #context: SecureContext;

  constructor(tls: EgressTls) {
    this.#tls = tls;
    this.#texts = readTlsFiles(tls);
    this.#context = contextOf(this.#texts, tls);
  }

  /** While files are being replaced, the certificate may not fit the key: then the previous ones are used. */
  current(): SecureContext {
    try {
      const texts = readTlsFiles(this.#tls);
      const { ca, cert, key } = this.#texts;
      if (texts.ca !== ca || texts.cert !== cert || texts.key !== key) {
        this.#context = contextOf(texts, this.#tls);
        this.#texts = texts;
      }
    } catch {
      return this.#context;
    }
    return this.#context;
  }
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
