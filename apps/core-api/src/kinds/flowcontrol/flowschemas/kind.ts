import type { KubeObject } from '@annex/machinery';
import { at, listAt, numberCell, textCell } from '../../shared/cells.ts';
import type { BuiltinKind } from '../../builtin-kind.ts';
import { checkFlowSchema } from './validation.ts';
import { conditionedStatus } from '../shared/status.ts';
import { zeroMeansAbsent } from '../shared/zero-means-absent.ts';

const precedenceOf = (schema: KubeObject): number => Number(at(schema, 'spec.matchingPrecedence') ?? 0);

export const flowSchemas: BuiltinKind = {
  group: 'flowcontrol.apiserver.k8s.io',
  resource: 'flowschemas',
  defaults: {
    'io.k8s.api.flowcontrol.v1.FlowSchemaCondition': { lastTransitionTime: null },
    'io.k8s.api.flowcontrol.v1.FlowSchemaSpec': zeroMeansAbsent({ matchingPrecedence: 1000 }),
  },
  validation: { object: checkFlowSchema },
  strategy: {
    allowUnconditionalUpdate: true,
    generation: true,
    metaChecks: { asUpdate: 0, asWhole: 1, standardFinalizers: true },
  },
  rowOrder: (a, b) => precedenceOf(a) - precedenceOf(b),
  cells: {
    PriorityLevel: textCell('spec.priorityLevelConfiguration.name'),
    MatchingPrecedence: numberCell('spec.matchingPrecedence'),
    DistinguisherMethod: textCell('spec.distinguisherMethod.type', '<none>'),
    MissingPL: (schema) =>
      listAt(schema, 'status.conditions').find((condition) => condition.type === 'Dangling')?.status ?? '?',
  },
  subresources: { status: conditionedStatus },
};
