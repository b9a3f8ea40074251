import { type Authenticator, CredentialsError } from '@annex/auth';
import { unauthorized } from '@annex/machinery';
import { peerCertificate } from '../peer-certificate.ts';
import type { Step } from '../step.ts';
import { note } from '../trace.ts';

/** Establishes who asks. Where no authenticator knows the credentials, or they are bad: 401. */
export const authenticate = (authenticator: Authenticator): Step => ({
  name: 'authenticate',
  async run(ctx, next) {
    const { req } = ctx;
    let result;
    try {
      result = await authenticator.authenticate({
        headers: req.headers,
        rawHeaders: req.rawHeaders,
        peerCertificate: peerCertificate(req),
      });
    } catch (error) {
      if (!(error instanceof CredentialsError)) throw error;
      note(ctx, `refused: ${error.message}`);
    }
    if (result === undefined) throw unauthorized();
    ctx.user = result.user;
    note(ctx, `${result.by}: ${result.user.name}`);
    delete req.headers.authorization;
    await next();
  },
});
