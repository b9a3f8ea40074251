import { allMetadata, statusEndpoint } from '@annex/kinds';
import { fieldErrors } from '@annex/machinery';
import { listAt, numberCell, textCell } from '../../shared/cells.ts';
import { between, fields, inSpec, required } from '../../shared/checks.ts';
import type { BuiltinKind } from '../../builtin-kind.ts';
import { zeroMeansAbsent } from '../shared/zero-means-absent.ts';

export const flowSchemas: BuiltinKind = {
  group: 'flowcontrol.apiserver.k8s.io',
  resource: 'flowschemas',
  defaults: { 'io.k8s.api.flowcontrol.v1.FlowSchemaSpec': zeroMeansAbsent({ matchingPrecedence: 1000 }) },
  validation: {
    object: inSpec(
      fields({
        matchingPrecedence: (value, at) =>
          Number(value) <= 0
            ? [fieldErrors.invalid(at, value, 'must be a positive value')]
            : between(0, 10000, 'must not be greater than 10000')(value, at),
        priorityLevelConfiguration: fields({ name: required(undefined, 'must reference a priority level') }),
      }),
    ),
  },
  strategy: {
    allowUnconditionalUpdate: true,
    generation: true,
    metaChecks: { asUpdate: 0, asWhole: 1, standardFinalizers: true },
  },
  cells: {
    PriorityLevel: textCell('spec.priorityLevelConfiguration.name'),
    MatchingPrecedence: numberCell('spec.matchingPrecedence'),
    DistinguisherMethod: textCell('spec.distinguisherMethod.type', '<none>'),
    MissingPL: (schema) =>
      listAt(schema, 'status.conditions').find((condition) => condition.type === 'Dangling')?.status ?? '?',
  },
  subresources: { status: statusEndpoint({ keeps: allMetadata }) },
};
