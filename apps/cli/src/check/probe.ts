import type { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, type SecureContext, createSecureContext, type TLSSocket } from 'node:tls';
import type { Endpoint, ProxyClientCertificate } from '@annex/http';
import { trustedCertificates } from '@annex/runtime';

/** The result of connecting to a server. */
export interface Probe {
  endpoint: Endpoint;
  /** The error of the TCP connection. */
  dialError?: NodeJS.ErrnoException;
  /** The error of the TLS handshake. */
  tlsError?: NodeJS.ErrnoException;
  /** The certificate chain of the server, leaf first. */
  chain: X509Certificate[];
  /** OpenSSL's error code if no CA of the bundle signed the chain. */
  untrusted?: string;
}

/** Options of a probe. */
export interface ProbeOptions {
  serverName: string;
  /** PEM; the roots of the system if undefined. */
  ca: string | undefined;
  client: ProxyClientCertificate | undefined;
  timeoutMs: number;
}

/** Connects to a server and reads its certificate chain. Never throws: errors are part of the result. */
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

const timedOut: NodeJS.ErrnoException = Object.assign(new Error('no response in time'), {
  code: 'ETIMEDOUT',
});

async function handshake(socket: Socket, options: ProbeOptions, signal: AbortSignal): Promise<TLSSocket> {
  const { serverName } = options;
  const secured = connectTls({
    socket,
    secureContext: contextOf(options),
    rejectUnauthorized: false,
    ...(isIP(serverName) === 0 ? { servername: serverName } : {}),
    // The name is checked separately from the chain.
    checkServerIdentity: () => undefined,
  });
  secured.on('error', () => undefined);
  await once(secured, 'secureConnect', { signal });
  return secured;
}

const contextOf = ({ ca, client }: ProbeOptions): SecureContext =>
  createSecureContext({ ...trustedCertificates(ca), ...(client ?? {}) });

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
