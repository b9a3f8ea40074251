import { X509Certificate } from 'node:crypto';
import { type HeaderList, headerObject, hostPort } from '@annex/http';
import { type CertificateView, certificateView } from './certificate-view.ts';
import type { ForwardTrace, TracedApiService } from '@annex/kinds';

/** How a request was handed to an extension API server, as it is sent. */
export interface ForwardView {
  apiService: string;
  /** The `Available` condition. */
  available: string;
  endpoint?: string;
  serverName?: string;
  /** How the server's certificate is verified. */
  verifiedBy?: string;
  /** The certificate that the front proxy shows. */
  clientCertificate?: CertificateView;
  serverCertificate?: CertificateView;
  headers?: Readonly<Record<string, string>>;
  code?: number;
  /** Until the head of the answer was there. */
  ms?: number;
  error?: string;
}

/** What a trace shows of a request that was forwarded. */
export function forwardView(forward: ForwardTrace): ForwardView {
  const { apiService, code, endpoint, error, headers, ms, serverCertificate, transport } = forward;
  const own = transport?.clientCertificate;
  return {
    apiService: apiService.metadata.name ?? '',
    available: conditionText(apiService.status?.conditions?.find(({ type }) => type === 'Available')),
    ...(endpoint ? { endpoint: hostPort(endpoint) } : {}),
    ...(transport ? { serverName: transport.serverName, verifiedBy: verification(apiService.spec) } : {}),
    ...(headers ? { headers: shownHeaders(headers) } : {}),
    ...(code === undefined ? {} : { code }),
    ...(ms === undefined ? {} : { ms }),
    ...(error === undefined ? {} : { error }),
    ...(own ? { clientCertificate: certificateView(new X509Certificate(own).toLegacyObject()) } : {}),
    ...(serverCertificate ? { serverCertificate: certificateView(serverCertificate) } : {}),
  };
}

/** The `Available` condition in one line. */
const conditionText = (condition?: { status: string; reason?: string; message?: string }): string =>
  condition === undefined
    ? 'not checked yet'
    : [condition.status, condition.reason, condition.message].filter((text) => text).join(': ');

function verification({ insecureSkipTLSVerify, caBundle }: TracedApiService['spec']): string {
  if (insecureSkipTLSVerify) return 'nobody: insecureSkipTLSVerify';
  return caBundle ? 'spec.caBundle' : 'the roots of the system';
}

/** Headers that say who asks and what for. Of all others nobody knows whether they hold secrets. */
const shown =
  /^(?:x-remote-.*|x-forwarded-.*|audit-id|accept|content-type|content-length|user-agent|upgrade)$/i;

const shownHeaders = (headers: HeaderList): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headerObject(headers)).map(([name, value]) => [
      name,
      shown.test(name) ? String(value) : '(not kept)',
    ]),
  );
