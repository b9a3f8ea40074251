import { X509Certificate } from 'node:crypto';
import { type HeaderList, headerObject, hostPort } from '@annex/http';
import { type CertificateView, certificateView } from './certificate-view.ts';
import type { ForwardTrace, TracedApiService } from '@annex/kinds';

/** The forwarding of a request to an extension API server. */
export interface ForwardView {
  apiService: string;
  /** The `Available` condition. */
  available: string;
  endpoint?: string;
  serverName?: string;
  /** The proxy server between, if the connection is not direct: `GRPC over /run/server.socket`. */
  hop?: string;
  /** The verification of the server's certificate. */
  verifiedBy?: string;
  /** The certificate that the front proxy presents. */
  clientCertificate?: CertificateView;
  serverCertificate?: CertificateView;
  headers?: Readonly<Record<string, string>>;
  code?: number;
  /** Milliseconds until the response head arrived. */
  ms?: number;
  error?: string;
}

/** Converts the trace of a forwarded request. */
export function forwardView(forward: ForwardTrace): ForwardView {
  const { apiService, code, endpoint, error, headers, ms, serverCertificate, transport } = forward;
  const own = transport?.clientCertificate;
  return {
    apiService: apiService.metadata.name ?? '',
    available: conditionText(apiService.status?.conditions?.find(({ type }) => type === 'Available')),
    ...(endpoint ? { endpoint: hostPort(endpoint) } : {}),
    ...(transport ? { serverName: transport.serverName, verifiedBy: verification(apiService.spec) } : {}),
    ...(transport?.hop ? { hop: transport.hop } : {}),
    ...(headers ? { headers: shownHeaders(headers) } : {}),
    ...(code === undefined ? {} : { code }),
    ...(ms === undefined ? {} : { ms }),
    ...(error === undefined ? {} : { error }),
    ...(own ? { clientCertificate: certificateView(new X509Certificate(own).toLegacyObject()) } : {}),
    ...(serverCertificate ? { serverCertificate: certificateView(serverCertificate) } : {}),
  };
}

/** Formats the `Available` condition on one line. */
const conditionText = (condition?: { status: string; reason?: string; message?: string }): string =>
  condition === undefined
    ? 'not checked yet'
    : [condition.status, condition.reason, condition.message].filter((text) => text).join(': ');

function verification({ insecureSkipTLSVerify, caBundle }: TracedApiService['spec']): string {
  if (insecureSkipTLSVerify) return 'nobody: insecureSkipTLSVerify';
  return caBundle ? 'spec.caBundle' : 'the system root certificates';
}

/** Headers that identify the user and the request. All other headers may contain secrets. */
const shown =
  /^(?:x-remote-.*|x-forwarded-.*|audit-id|accept|content-type|content-length|user-agent|upgrade)$/i;

const shownHeaders = (headers: HeaderList): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headerObject(headers)).map(([name, value]) => [
      name,
      shown.test(name) ? String(value) : '(not kept)',
    ]),
  );
