import type { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, type SecureContext, createSecureContext, type TLSSocket } from 'node:tls';
import type { Endpoint, ProxyClientCertificate } from '@annex/http';

/** What was seen of a server on the way to it. */
export interface Probe {
  endpoint: Endpoint;
  /** Why there is no connection. */
  dialError?: NodeJS.ErrnoException;
  /** Why there is no TLS on it. */
  tlsError?: NodeJS.ErrnoException;
  /** What the server showed, its own first. */
  chain: X509Certificate[];
  /** Why the chain does not lead to an authority of the bundle: the code of OpenSSL. */
  untrusted?: string;
}

/** How a server is looked at. */
export interface ProbeOptions {
  serverName: string;
  /** PEM; the roots of the system where left out. */
  ca: string | undefined;
  client: ProxyClientCertificate | undefined;
  timeoutMs: number;
}

/** Connects to a server and looks at its certificate. Never throws: what fails is what it tells. */
export async function probe(endpoint: Endpoint, options: ProbeOptions): Promise<Probe> {
  const found: Probe = { endpoint, chain: [] };
  const signal = AbortSignal.timeout(options.timeoutMs);
  const socket = connectTcp({ ...endpoint, signal });
  try {
    await once(socket, 'connect', { signal });
  } catch (error) {
    socket.destroy();
    return { ...found, dialError: signal.aborted ? timedOut : (error as NodeJS.ErrnoException) };
  }
  try {
    const secured = await handshake(socket, options, signal);
    found.chain = chainOf(secured);
    if (!secured.authorized) found.untrusted = String(secured.authorizationError);
    return found;
  } catch (error) {
    return { ...found, tlsError: signal.aborted ? timedOut : (error as NodeJS.ErrnoException) };
  } finally {
    socket.destroy();
  }
}

const timedOut: NodeJS.ErrnoException = Object.assign(new Error('no answer in time'), { code: 'ETIMEDOUT' });

async function handshake(socket: Socket, options: ProbeOptions, signal: AbortSignal): Promise<TLSSocket> {
  const { serverName } = options;
  const secured = connectTls({
    socket,
    secureContext: contextOf(options),
    rejectUnauthorized: false,
    ...(isIP(serverName) === 0 ? { servername: serverName } : {}),
    // Names are judged apart from the chain.
    checkServerIdentity: () => undefined,
  });
  secured.on('error', () => undefined);
  await once(secured, 'secureConnect', { signal });
  return secured;
}

const contextOf = ({ ca, client }: ProbeOptions): SecureContext =>
  createSecureContext({ ...(ca === undefined ? {} : { ca }), ...(client ?? {}) });

function chainOf(secured: TLSSocket): X509Certificate[] {
  const chain: X509Certificate[] = [];
  for (
    let next = secured.getPeerX509Certificate();
    next && chain.length < 10;
    next = next.issuerCertificate
  ) {
    if (chain.some(({ fingerprint256 }) => fingerprint256 === next?.fingerprint256)) break;
    chain.push(next);
  }
  return chain;
}
