import { type Authenticator, CredentialsError } from '@annex/auth';
import { unauthorized } from '@annex/machinery';
import type { Auditor } from '../audit/auditor.ts';
import { peerCertificate } from '../peer-certificate.ts';
import type { Step } from '../step.ts';

/** Establishes who asks. Where no authenticator knows the credentials, or they are bad: 401. */
export const authenticate = (authenticator: Authenticator, auditor?: Auditor): Step => ({
  name: 'authenticate',
  async run(ctx, next) {
    const { req, trace } = ctx;
    const certificate = peerCertificate(req);
    trace.presented = { certificate, scheme: schemeOf(req.headers.authorization) };
    if (spacedToken.test(req.headers.authorization ?? '')) ctx.warnings.push(spacedTokenWarning);
    let result;
    try {
      result = await authenticator.authenticate({
        headers: req.headers,
        rawHeaders: req.rawHeaders,
        peerCertificate: certificate,
        path: ctx.path,
        attempts: trace.attempts,
      });
    } catch (error) {
      if (!(error instanceof CredentialsError)) throw error;
    }
    if (result === undefined) {
      auditor?.refused(ctx);
      throw unauthorized();
    }
    trace.user = ctx.user = result.user;
    delete req.headers.authorization;
    await next();
  },
});

/** Such a token is no credential. */
const spacedToken = /^\s*bearer {2}/i;
const spacedTokenWarning =
  'the provided Authorization header contains extra space before the bearer token, and is ignored';

/** What kind of credentials a header holds; the rest of it is a secret. */
const schemeOf = (authorization: string | undefined): string | undefined =>
  authorization && (/^(?:Basic|Bearer)(?= )/i.exec(authorization)?.[0] ?? 'unknown');
