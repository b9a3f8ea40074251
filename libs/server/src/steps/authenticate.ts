import { anonymousUser, type Authenticated, type Authenticator, CredentialsError } from '@annex/auth';
import { unauthorized } from '@annex/machinery';
import type { Auditor } from '../auditor.ts';
import type { RequestContext } from '@annex/kinds';
import { type HttpRequest, peerCertificate, requestedUpgrade } from '@annex/http';
import type { Step } from '../step.ts';
import { takeWebSocketProtocols } from '../web-socket-protocols.ts';

/** Authenticates the user. Throws 401 if no authenticator accepts the credentials. */
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
 * Like kube-apiserver, closes an HTTP/2 connection after an unauthenticated request and the requests in
 * progress (CVE-2023-44487).
 */
function endUnauthenticated({ connection, res }: RequestContext): void {
  if (connection?.session !== undefined) res.once('finish', connection.endAfterRequests);
}

const isWebSocket = (req: HttpRequest): boolean => requestedUpgrade(req)?.toLowerCase() === 'websocket';

/** A bearer token behind two spaces is ignored. */
const spacedToken = /^\s*bearer {2}/i;
const spacedTokenWarning =
  'the provided Authorization header contains extra space before the bearer token, and is ignored';

/** Returns the scheme of the credentials; the rest of the header is secret. */
const schemeOf = (authorization: string | undefined): string | undefined =>
  authorization && (/^(?:Basic|Bearer)(?= )/i.exec(authorization)?.[0] ?? 'unknown');
