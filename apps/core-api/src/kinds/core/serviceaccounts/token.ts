import { requestToken, checkTokenRequest, credentialIdOf, setTokenRequestDefaults } from '@annex/auth';
import type { Subresource } from '@annex/kinds';
import { badRequest, notFound } from '@annex/machinery';
import type { ServerDeps } from '@annex/server';
import type { Credentials } from '../../config.ts';

const serviceAccounts = { group: '', resource: 'serviceaccounts' };

/** The `token` subresource: issues tokens of a service account. */
export const tokenRequests = ({ clock }: ServerDeps, { tokenIssuer }: Credentials): Partial<Subresource> => ({
  echoes: true,
  checkSent: (sent, { info }) => checkTokenRequest(sent, info),
  setDefaults: setTokenRequestDefaults,
  async create(sent, account, request) {
    if (tokenIssuer === undefined) throw badRequest('this server has no key to issue tokens with');
    if (account === undefined) throw notFound(serviceAccounts, request.info.name);
    const response = await requestToken(sent, account, tokenIssuer, clock.now(), (text) =>
      request.warnings.push(text),
    );
    const { token } = response.status as { token: string };
    request.audit?.annotate('authentication.kubernetes.io/issued-credential-id', credentialIdOf(token));
    return response;
  },
});
