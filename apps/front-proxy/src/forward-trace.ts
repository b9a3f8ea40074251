import type { OutgoingHttpHeaders } from 'node:http';
import {
  type Answer,
  type ForwardTrace,
  hostPort,
  type Outgoing,
  type RemoteApiService,
  shownCertificate,
} from '@annex/server';

/** The `Available` condition in one line. */
export const conditionText = (condition?: { status: string; reason?: string; message?: string }): string =>
  condition === undefined
    ? 'not checked yet'
    : [condition.status, condition.reason, condition.message].filter((text) => text).join(': ');

/** What the trace says of an answer when its head is there. */
export const answeredTrace = ({ socket, statusCode }: Answer, ms: number): Partial<ForwardTrace> => ({
  code: statusCode,
  ms,
  serverCertificate: socket && shownCertificate(socket),
});

/** What the trace says of a request as it leaves for an extension server. */
export const sentTrace = ({ spec }: RemoteApiService, outgoing: Outgoing): Partial<ForwardTrace> => ({
  endpoint: hostPort(outgoing.endpoint),
  serverName: outgoing.transport.serverName,
  verifiedBy: verification(spec),
  clientCertificate: outgoing.transport.clientCertificate,
  headers: shownHeaders(outgoing.headers),
});

function verification({ insecureSkipTLSVerify, caBundle }: RemoteApiService['spec']): string {
  if (insecureSkipTLSVerify) return 'nobody: insecureSkipTLSVerify';
  return caBundle ? 'spec.caBundle' : 'the roots of the system';
}

/** Headers that say who asks and what for. Of all others nobody knows whether they hold secrets. */
const shown =
  /^(?:x-remote-.*|x-forwarded-.*|audit-id|accept|content-type|content-length|user-agent|upgrade)$/i;

const shownHeaders = (headers: OutgoingHttpHeaders): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, shown.test(name) ? String(value) : '(not kept)']],
    ),
  );
