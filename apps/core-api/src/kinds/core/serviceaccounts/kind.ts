import type { ServerDeps } from '@annex/server';
import type { BuiltinKind } from '../../builtin-kind.ts';
import type { Credentials } from '../../config.ts';
import { tokenRequests } from './token.ts';
import { serviceAccountWarnings } from './warnings.ts';

export const serviceAccounts = (deps: ServerDeps, credentials: Credentials): BuiltinKind => ({
  group: '',
  resource: 'serviceaccounts',
  defaults: {
    'io.k8s.api.authentication.v1.TokenRequestSpec': { boundObjectRef: null },
    'io.k8s.api.authentication.v1.TokenRequestStatus': { expirationTimestamp: null },
  },
  strategy: {
    allowUnconditionalUpdate: true,
    returnsDeleted: true,
  },
  warnings: serviceAccountWarnings,
  subresources: { token: tokenRequests(deps, credentials) },
});
