import type { Cell } from '@annex/kinds';
import { at, textCell } from '../../shared/cells.ts';
import type { BuiltinKind } from '../../builtin-kind.ts';
import { checkPriorityLevel } from './validation.ts';
import { conditionedStatus } from '../shared/status.ts';
import { zeroMeansAbsent } from '../shared/zero-means-absent.ts';

const queuing = 'spec.limited.limitResponse.queuing';

const orNone =
  (path: string): Cell =>
  (level) =>
    at(level, path) ?? '<none>';

export const priorityLevelConfigurations: BuiltinKind = {
  group: 'flowcontrol.apiserver.k8s.io',
  resource: 'prioritylevelconfigurations',
  defaults: {
    'io.k8s.api.flowcontrol.v1.PriorityLevelConfigurationCondition': { lastTransitionTime: null },
    'io.k8s.api.flowcontrol.v1.ExemptPriorityLevelConfiguration': {
      nominalConcurrencyShares: 0,
      lendablePercent: 0,
    },
    'io.k8s.api.flowcontrol.v1.LimitedPriorityLevelConfiguration': {
      nominalConcurrencyShares: 30,
      lendablePercent: 0,
    },
    'io.k8s.api.flowcontrol.v1.QueuingConfiguration': zeroMeansAbsent({
      handSize: 8,
      queues: 64,
      queueLengthLimit: 50,
    }),
  },
  validation: { object: checkPriorityLevel },
  strategy: {
    allowUnconditionalUpdate: true,
    generation: true,
    metaChecks: { asUpdate: 0, asWhole: 1, standardFinalizers: true },
  },
  cells: {
    Type: textCell('spec.type'),
    NominalConcurrencyShares: orNone('spec.limited.nominalConcurrencyShares'),
    Queues: orNone(`${queuing}.queues`),
    HandSize: orNone(`${queuing}.handSize`),
    QueueLengthLimit: orNone(`${queuing}.queueLengthLimit`),
  },
  subresources: { status: conditionedStatus },
};
