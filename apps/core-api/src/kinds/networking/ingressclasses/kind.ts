import { classNameCell, textCell } from '../../shared/cells.ts';
import { inSpec } from '../../shared/checks.ts';
import { immutable, immutableStrings } from '../../shared/immutable-fields.ts';
import type { BuiltinKind } from '../../builtin-kind.ts';
import { ingressParameters } from './columns.ts';
import { validateIngressClassSpec } from './validation.ts';

export const ingressClasses: BuiltinKind = {
  group: 'networking.k8s.io',
  resource: 'ingressclasses',
  defaults: { 'io.k8s.api.networking.v1.IngressClassParametersReference': { scope: 'Cluster' } },
  validation: {
    object: inSpec(validateIngressClassSpec),
    update: immutable(...immutableStrings('spec.controller')),
    changesFirst: true,
  },
  strategy: {
    allowUnconditionalUpdate: true,
    generation: true,
  },
  cells: {
    Name: classNameCell('ingressclass.kubernetes.io/is-default-class'),
    Controller: textCell('spec.controller'),
    Parameters: ingressParameters,
  },
};
