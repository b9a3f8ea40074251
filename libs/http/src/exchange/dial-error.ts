import { tableOf } from '@annex/machinery';
import { isIP } from 'node:net';
import { type Endpoint, hostPort } from './endpoint.ts';

/** An error of a connection to a backend: of the socket, of TLS, or of HTTP. */
interface ConnectionError extends Error {
  code?: string;
  syscall?: string;
  address?: string;
  port?: number;
  hostname?: string;
  reason?: string;
  /** The local and remote address of the connection, if it was established. */
  between?: string;
  /** Part of the response was received. */
  hasBegun?: boolean;
  /** The proxy that could not be reached, because of `cause`. */
  proxy?: Endpoint;
  cert?: { subjectaltname?: string; subject?: { CN?: string } };
}

/** System call errors with the messages of Go's syscall.Errno. */
const errnoTexts = tableOf({
  ECONNREFUSED: 'connection refused',
  EHOSTUNREACH: 'no route to host',
  ENETUNREACH: 'network is unreachable',
  EADDRNOTAVAIL: 'cannot assign requested address',
  ECONNRESET: 'connection reset by peer',
  EPIPE: 'broken pipe',
  ETIMEDOUT: 'connection timed out',
  EACCES: 'permission denied',
  EMFILE: 'too many open files',
  ENOENT: 'no such file or directory',
});

/** Certificate errors with the messages of Go's crypto/x509. */
const certificateTexts = tableOf({
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'x509: certificate signed by unknown authority',
  UNABLE_TO_GET_ISSUER_CERT: 'x509: certificate signed by unknown authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'x509: certificate signed by unknown authority',
  SELF_SIGNED_CERT_IN_CHAIN: 'x509: certificate signed by unknown authority',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'x509: certificate signed by unknown authority',
  CERT_SIGNATURE_FAILURE: 'x509: certificate signed by unknown authority',
  INVALID_CA: 'x509: certificate signed by unknown authority',
  CERT_HAS_EXPIRED: 'x509: certificate has expired or is not yet valid',
  CERT_NOT_YET_VALID: 'x509: certificate has expired or is not yet valid',
  INVALID_PURPOSE: 'x509: certificate specifies an incompatible key usage',
});

/** The error of a certificate with its name only in the subject. */
export const legacyName = 'certificate relies on legacy Common Name field, use SANs instead';

/** Returns kube-apiserver's message for a connection error to a backend. */
export function dialErrorText(error: unknown, endpoint: Endpoint, serverName: string): string {
  // A host with several addresses fails with the errors of all of them.
  const e = (error instanceof AggregateError ? (error.errors[0] ?? error) : error) as ConnectionError;
  if (e.name === 'ProxyError' && e.proxy === undefined) return e.message;
  if (e.proxy !== undefined) return `proxyconnect tcp: ${dialErrorText(e.cause, e.proxy, e.proxy.host)}`;
  // DOM errors have numeric codes.
  const code = typeof e.code === 'string' ? e.code : '';
  const certificate = certificateTexts.get(code);
  if (certificate !== undefined) return `tls: failed to verify certificate: ${certificate}`;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return `tls: failed to verify certificate: ${nameMismatch(e, serverName)}`;
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `dial tcp: lookup ${endpoint.host}: no such host`;
  if (isWithoutTls(e)) return 'http: server gave HTTP response to HTTPS client';
  if (code.startsWith('ERR_SSL_')) return `tls: ${sslText(e)}`;
  if (code === 'ECONNRESET' && e.syscall === undefined) return 'EOF';
  const errno = errnoTexts.get(code);
  if (errno === undefined) return e.message;
  // A Unix socket has no port.
  if (e.syscall === 'connect' && e.address?.startsWith('/'))
    return `dial unix ${e.address}: connect: ${errno}`;
  const at = hostPort({ host: e.address ?? endpoint.host, port: e.port ?? endpoint.port });
  if (e.syscall === 'connect') return `dial tcp ${at}: connect: ${errno}`;
  const operation = e.syscall ?? 'read';
  const text = `${operation} tcp ${e.between ?? at}: ${operation}: ${errno}`;
  return e.hasBegun ? `net/http: HTTP/1.x transport connection broken: ${text}` : text;
}

function nameMismatch(e: ConnectionError, serverName: string): string {
  const isAddress = isIP(serverName) !== 0;
  if (e.reason === legacyName) return `x509: ${legacyName}`;
  const prefix = isAddress ? 'IP Address:' : 'DNS:';
  const names = (e.cert?.subjectaltname ?? '')
    .split(', ')
    .filter((name) => name.startsWith(prefix))
    .map((name) => name.slice(prefix.length));
  if (names.length > 0) return `x509: certificate is valid for ${names.join(', ')}, not ${serverName}`;
  return isAddress
    ? `x509: cannot validate certificate for ${serverName} because it doesn't contain any IP SANs`
    : `x509: certificate is not valid for any names, but wanted to match ${serverName}`;
}

const sslText = (e: ConnectionError): string => e.reason ?? e.message;

/**
 * True if the peer of a TLS handshake does not use TLS. OpenSSL does not report the cause; it is almost
 * always the HTTP port of the same server.
 */
export const isWithoutTls = ({ code, message }: NodeJS.ErrnoException): boolean =>
  code === 'ERR_SSL_WRONG_VERSION_NUMBER' ||
  code === 'ERR_SSL_PACKET_LENGTH_TOO_LONG' ||
  (code === 'EPROTO' && /:(?:wrong version number|packet length too long):/.test(message));
