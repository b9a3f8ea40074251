import { childOf, fields, inSpec } from '../../shared/checks.ts';
import { immutable } from '../../shared/immutable-fields.ts';
import { templateMetadata } from '../../shared/template-metadata.ts';
import type { BuiltinKind } from '../../builtin-kind.ts';
import { claimDefaults } from '../shared/defaults.ts';
import { goTemplateSpec } from '../shared/go-claim.ts';
import { compileClaim, validateClaimSpec } from '../shared/device-claim.ts';

export const resourceClaimTemplates: BuiltinKind = {
  group: 'resource.k8s.io',
  resource: 'resourceclaimtemplates',
  defaults: claimDefaults,
  validation: {
    before: (template) => compileClaim(childOf(childOf(template, 'spec'), 'spec')),
    object: inSpec(fields({ metadata: templateMetadata, spec: validateClaimSpec })),
    update: immutable({ path: 'spec', print: goTemplateSpec }),
  },
  strategy: {
    allowUnconditionalUpdate: true,
    returnsDeleted: true,
  },
};
