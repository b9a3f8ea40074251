import type { ServerDeps } from '@annex/server';
import { fieldSelectors } from '../../shared/selectable-fields.ts';
import type { BuiltinKind } from '../../builtin-kind.ts';
import { requestColumns } from './columns.ts';
import { requestStrategy, requestSubresources } from './strategy.ts';
import { validateCertificateRequest } from './validation.ts';

export const certificateSigningRequests = (deps: ServerDeps): BuiltinKind => ({
  group: 'certificates.k8s.io',
  resource: 'certificatesigningrequests',
  defaults: {
    'io.k8s.api.certificates.v1.CertificateSigningRequestCondition': {
      lastUpdateTime: null,
      lastTransitionTime: null,
    },
  },
  validation: { create: validateCertificateRequest },
  strategy: requestStrategy,
  cells: requestColumns,
  selectableFields: fieldSelectors('spec.signerName'),
  subresources: requestSubresources(deps),
});
