import { podSpecDefaults } from '../../shared/pod-spec/defaults.ts';
import { namesPods, templateWarnings } from '../../shared/pod-spec/warnings.ts';
import { numberCell, templateColumns } from '../../shared/cells.ts';
import { immutable } from '../../shared/immutable-fields.ts';
import { scale } from '../../shared/scale.ts';
import { both } from '../../shared/warnings.ts';
import { replicasStatus } from '../../shared/status-numbers.ts';
import type { BuiltinKind } from '../../builtin-kind.ts';
import { selectorCell } from '../shared/columns.ts';
import { validateReplicaSet } from './validation.ts';

export const replicaSets: BuiltinKind = {
  group: 'apps',
  resource: 'replicasets',
  defaults: {
    ...podSpecDefaults,
    'io.k8s.api.apps.v1.ReplicaSetSpec': { replicas: 1 },
    'io.k8s.api.apps.v1.ReplicaSetCondition': { lastTransitionTime: null },
  },
  validation: { object: validateReplicaSet, update: immutable('spec.selector') },
  strategy: {
    allowUnconditionalUpdate: true,
    generation: true,
    metaChecks: { asUpdate: 1, asWhole: 0, standardFinalizers: true },
  },
  warnings: both(namesPods, templateWarnings('spec', 'template')),
  cells: {
    Desired: numberCell('spec.replicas'),
    Current: numberCell('status.replicas'),
    Ready: numberCell('status.readyReplicas'),
    ...templateColumns('spec.template', selectorCell),
  },
  subresources: { scale, status: replicasStatus },
};
