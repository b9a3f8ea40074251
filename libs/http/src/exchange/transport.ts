import { isIP } from 'node:net';
import { type PeerCertificate, type TLSSocket, checkServerIdentity, createSecureContext } from 'node:tls';
import { type Dial, trustedCertificates } from '@annex/runtime';
import { legacyName } from './dial-error.ts';
import { Http1Pool } from '../http1/pool.ts';
import { Http2Sessions, type TransportTls } from './http2-sessions.ts';

/** The certificate with which the front proxy identifies itself to every backend, PEM. */
export interface ProxyClientCertificate {
  cert: string;
  key: string;
}

/** The TLS settings that identify a backend. */
export interface TransportOptions {
  /** PEM; default: the system roots. */
  ca: string | undefined;
  serverName: string;
  insecureSkipTLSVerify: boolean;
  client: ProxyClientCertificate | undefined;
  /** Opens the connections; default: direct ones. */
  dial?: Dial | undefined;
  /** The hop of these connections, for traces. */
  hop?: string | undefined;
}

/**
 * Like Node's check, but refuses names that only the subject has: RFC 9525 section 2 ignores them, and so
 * does kube-apiserver.
 */
function checkName(hostname: string, certificate: PeerCertificate): Error | undefined {
  const found = checkServerIdentity(hostname, certificate);
  if (found !== undefined || certificate.subjectaltname !== undefined) return found;
  return Object.assign(new Error(legacyName), { code: 'ERR_TLS_CERT_ALTNAME_INVALID', reason: legacyName });
}

const shownCertificates = new WeakMap<object, PeerCertificate>();

/** Returns the certificate of the backend of a connection. */
export function backendCertificate(socket: TLSSocket): PeerCertificate | undefined {
  let certificate = shownCertificates.get(socket);
  if (certificate === undefined) {
    certificate = socket.getPeerCertificate();
    // A closed connection has no certificate.
    if (certificate?.subject === undefined) return undefined;
    shownCertificates.set(socket, certificate);
  }
  return certificate;
}

/** The connection pool of one backend, with its TLS settings. */
export class Transport {
  readonly serverName: string;
  /** PEM of the client certificate. */
  readonly clientCertificate: string | undefined;
  /** The hop of the connections, if they are not direct. */
  readonly hop: string | undefined;
  readonly pool: Http1Pool;
  /** Connections to a backend that does not support HTTP/1.1. */
  readonly sessions: Http2Sessions;
  /** Set after a backend refused HTTP/1.1. */
  requiresHttp2 = false;

  /** Throws if the bundle contains no certificate. */
  constructor(options: TransportOptions) {
    const { ca, client, dial, hop, serverName, insecureSkipTLSVerify } = options;
    this.serverName = serverName;
    this.hop = hop;
    this.clientCertificate = client?.cert;
    const tls: TransportTls = {
      secureContext: createSecureContext({
        ...trustedCertificates(ca === undefined ? undefined : checkedBundle(ca)),
        ...(client ?? {}),
      }),
      // RFC 6066 does not allow addresses as server names: the certificate is compared with the dialled
      // address.
      ...(isIP(serverName) === 0 ? { servername: serverName } : {}),
      rejectUnauthorized: !insecureSkipTLSVerify,
      checkServerIdentity: checkName,
    };
    this.pool = new Http1Pool(tls, dial);
    this.sessions = new Http2Sessions(tls, dial);
  }

  /** Closes idle connections now and others when their request ends: running watches continue. */
  retire(): void {
    this.sessions.retire();
    this.pool.retire();
  }

  /** Closes all connections. */
  close(): void {
    this.sessions.close();
    this.pool.close();
  }
}

function checkedBundle(pem: string): string {
  // OpenSSL accepts a bundle without certificates silently; every verification would then fail without a
  // clear cause.
  if (!pem.includes('-----BEGIN CERTIFICATE-----')) {
    throw new Error('unable to load root certificates: unable to parse bytes as PEM block');
  }
  return pem;
}
