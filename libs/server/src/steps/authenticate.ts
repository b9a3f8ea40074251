import type { IncomingMessage } from 'node:http';
import { anonymousUser, type Authenticated, type Authenticator, CredentialsError } from '@annex/auth';
import { unauthorized } from '@annex/machinery';
import type { Auditor } from '../auditor.ts';
import type { RequestContext } from '@annex/kinds';
import { peerCertificate, requestedUpgrade } from '@annex/http';
import type { Step } from '../step.ts';
import { takeWebSocketProtocols } from '../web-socket-protocols.ts';

/** Establishes who asks. Where no authenticator knows the credentials, or they are bad: 401. */
export const authenticate = (authenticator: Authenticator, auditor?: Auditor): Step => ({
  name: 'authenticate',
  run(request, next) {
    const { req, trace } = request;
    const { authorization } = req.headers;
    const certificate = peerCertificate(req);
    const protocols = takeWebSocketProtocols(req);
    trace.presented = { certificate, scheme: schemeOf(authorization) };
    if (authorization && spacedToken.test(authorization)) request.warnings.push(spacedTokenWarning);
    const enter = (result: Authenticated | undefined) => {
      if (result === undefined) return refuse();
      if (result.user.name === anonymousUser) endUnauthenticated(request);
      else request.connection?.authenticated();
      trace.user = request.user = result.user;
      if (result.remarks) {
        request.remarks = result.remarks;
        request.warnings.push(...result.remarks.warnings);
      }
      if (authorization !== undefined) delete req.headers.authorization;
      return next(request);
    };
    const refuse = (error?: unknown) => {
      if (error !== undefined && !(error instanceof CredentialsError)) throw error;
      auditor?.refused(request);
      endUnauthenticated(request);
      throw unauthorized();
    };
    const credentials = {
      headers: req.headers,
      rawHeaders: req.rawHeaders,
      peerCertificate: certificate,
      path: request.path,
      attempts: trace.attempts,
      ...(protocols && isWebSocket(req) ? { webSocketProtocols: protocols } : {}),
    };
    let result;
    try {
      result = authenticator.authenticate(credentials);
    } catch (error) {
      return refuse(error);
    }
    return result instanceof Promise ? result.catch(refuse).then(enter) : enter(result);
  },
});

/**
 * As kube-apiserver, which keeps no HTTP/2 connection on which nobody was authenticated (CVE-2023-44487): it ends with this request and
 * those that came with it.
 */
function endUnauthenticated({ connection, res }: RequestContext): void {
  if (connection?.session !== undefined) res.once('finish', connection.endAfterRequests);
}

const isWebSocket = (req: IncomingMessage): boolean => requestedUpgrade(req)?.toLowerCase() === 'websocket';

/** Such a token is no credential. */
const spacedToken = /^\s*bearer {2}/i;
const spacedTokenWarning =
  'the provided Authorization header contains extra space before the bearer token, and is ignored';

/** What kind of credentials a header holds; the rest of it is a secret. */
const schemeOf = (authorization: string | undefined): string | undefined =>
  authorization && (/^(?:Basic|Bearer)(?= )/i.exec(authorization)?.[0] ?? 'unknown');
