import { isIP } from 'node:net';
import {
  type PeerCertificate,
  type SecureContext,
  type TLSSocket,
  checkServerIdentity,
  createSecureContext,
} from 'node:tls';
import { legacyName } from './dial-error.ts';
import { Http1Pool } from '../http1/pool.ts';
import { Http2Sessions } from './http2-exchange.ts';

/** The certificate with which the front proxy identifies itself to every backend, PEM. */
export interface ProxyClientCertificate {
  cert: string;
  key: string;
}

/** What tells whether a backend is the right one. */
export interface TransportOptions {
  /** PEM. The roots of the system where left out. */
  ca: string | undefined;
  serverName: string;
  insecureSkipTLSVerify: boolean;
  client: ProxyClientCertificate | undefined;
}

/** How a backend is recognized, and the front proxy shows who it is. */
export interface TransportTls {
  secureContext: SecureContext;
  servername?: string;
  rejectUnauthorized: boolean;
  checkServerIdentity: typeof checkServerIdentity;
}

/** As Node's, but for names that only the subject has: clients ignore them, RFC 9525 section 2, and so does kube. */
function checkName(hostname: string, certificate: PeerCertificate): Error | undefined {
  const found = checkServerIdentity(hostname, certificate);
  if (found !== undefined || certificate.subjectaltname !== undefined) return found;
  return Object.assign(new Error(legacyName), { code: 'ERR_TLS_CERT_ALTNAME_INVALID', reason: legacyName });
}

const shownCertificates = new WeakMap<object, PeerCertificate>();

/** The certificate that a backend has shown on a connection. */
export function shownCertificate(socket: TLSSocket): PeerCertificate | undefined {
  let certificate = shownCertificates.get(socket);
  if (certificate === undefined) {
    certificate = socket.getPeerCertificate();
    // Of a connection that is closed by now nothing is known.
    if (certificate?.subject === undefined) return undefined;
    shownCertificates.set(socket, certificate);
  }
  return certificate;
}

/** The connections to one backend, with its TLS rules. Connections are kept and used again. */
export class Transport {
  readonly serverName: string;
  /** PEM of what it shows of itself. */
  readonly clientCertificate: string | undefined;
  readonly pool: Http1Pool;
  /** Connections to a backend that does not speak HTTP/1.1. */
  readonly sessions: Http2Sessions;
  /** Set once a backend refused HTTP/1.1. */
  speaksHttp2 = false;

  /** Throws where the bundle holds no certificate. */
  constructor(options: TransportOptions) {
    const { ca, client, serverName, insecureSkipTLSVerify } = options;
    this.serverName = serverName;
    this.clientCertificate = client?.cert;
    const tls: TransportTls = {
      secureContext: createSecureContext({
        ...(ca === undefined ? {} : { ca: checkedBundle(ca) }),
        ...(client ?? {}),
      }),
      // RFC 6066 has no place for addresses: there the certificate is compared with the address dialled.
      ...(isIP(serverName) === 0 ? { servername: serverName } : {}),
      rejectUnauthorized: !insecureSkipTLSVerify,
      checkServerIdentity: checkName,
    };
    this.pool = new Http1Pool(tls);
    this.sessions = new Http2Sessions(tls);
  }

  /** Closes idle connections now and the others when their request ends: running watches go on. */
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
  // OpenSSL takes a bundle without any certificate in silence; then nothing would ever verify, and nobody knew why.
  if (!pem.includes('-----BEGIN CERTIFICATE-----')) {
    throw new Error('unable to load root certificates: unable to parse bytes as PEM block');
  }
  return pem;
}
