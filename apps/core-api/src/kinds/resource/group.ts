import type { ServerDeps } from '@annex/server';
import { deviceClasses } from './deviceclasses/kind.ts';
import { resourceClaims } from './resourceclaims/kind.ts';
import { resourceClaimTemplates } from './resourceclaimtemplates/kind.ts';
import { resourceSlices } from './resourceslices/kind.ts';
import type { BuiltinKind } from '../builtin-kind.ts';

/** The kinds of `resource.k8s.io`. */
export const resourceGroup = (deps: ServerDeps): readonly BuiltinKind[] => [
  deviceClasses,
  resourceClaims,
  resourceClaimTemplates,
  resourceSlices(deps),
];
