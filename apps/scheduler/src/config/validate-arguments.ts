import { type FieldError, fieldErrors, FieldPath, validateQualifiedName } from '@annex/machinery';
import { validateNodeAffinityArguments } from './validate-node-affinity.ts';
import { durationText } from './durations.ts';
import type {
  BalancedAllocationArgs,
  DefaultPreemptionArgs,
  DynamicResourcesArgs,
  InterPodAffinityArgs,
  NodeAffinityArgs,
  NodeResourcesFitArgs,
  PodTopologySpreadArgs,
  ShapePoint,
  VolumeBindingArgs,
} from './types.ts';

const { duplicate, forbidden, invalid, notSupported, required } = fieldErrors;

type Validation = (args: never, at: FieldPath) => FieldError[];

/** The validation of the arguments of each plugin. Those of NodeResourcesFit are validated when the plugin is created. */
const validations: ReadonlyMap<string, Validation> = new Map(
  Object.entries<Validation>({
    DefaultPreemption(args: DefaultPreemptionArgs, at) {
      const { minCandidateNodesPercentage: percentage, minCandidateNodesAbsolute: absolute } = args;
      const [percentageAt, absoluteAt] = [
        at.child('minCandidateNodesPercentage'),
        at.child('minCandidateNodesAbsolute'),
      ];
      return [
        ...outside(percentage, 0, 100, percentageAt),
        ...(absolute < 0 ? [invalid(absoluteAt, absolute, 'not in valid range [0, inf)')] : []),
        ...(percentage === 0 && absolute === 0
          ? [
              invalid(percentageAt, 0, 'cannot be zero at the same time as minCandidateNodesAbsolute'),
              invalid(absoluteAt, 0, 'cannot be zero at the same time as minCandidateNodesPercentage'),
            ]
          : []),
      ];
    },
    InterPodAffinity: ({ hardPodAffinityWeight }: InterPodAffinityArgs, at) =>
      outside(hardPodAffinityWeight, 0, 100, at.child('hardPodAffinityWeight')),
    NodeAffinity: ({ addedAffinity }: NodeAffinityArgs, at) =>
      validateNodeAffinityArguments(addedAffinity, at.child('addedAffinity')),
    NodeResourcesBalancedAllocation: ({ resources }: BalancedAllocationArgs, at) =>
      resources.flatMap(({ name, weight }, i) => {
        const path = at.child('resources').index(i);
        const isRepeated = resources.findIndex((one) => one.name === name) < i;
        return [
          ...(isRepeated ? [duplicate(path.child('name'), name)] : []),
          ...(weight === 1 ? [] : [invalid(path.child('weight'), weight, 'must be 1')]),
        ];
      }),
    PodTopologySpread: spreadErrors,
    VolumeBinding: ({ bindTimeoutSeconds, shape }: VolumeBindingArgs, at) => [
      ...(bindTimeoutSeconds < 0
        ? [
            invalid(
              at.child('bindTimeoutSeconds'),
              bindTimeoutSeconds,
              'invalid BindTimeoutSeconds, should not be a negative value',
            ),
          ]
        : []),
      ...(shape === undefined
        ? []
        : [
            invalid(
              at.child('shape'),
              shape.map(({ utilization, score }) => ({ Utilization: utilization, Score: score })),
              'unexpected field `shape`, remove it or turn on the feature gate StorageCapacityScoring',
            ),
          ]),
    ],
    DynamicResources: ({ filterTimeoutMs, bindingTimeoutMs }: DynamicResourcesArgs, at) => [
      ...(filterTimeoutMs < 0
        ? [invalid(at.child('filterTimeout'), durationText(filterTimeoutMs), 'must be zero or positive')]
        : []),
      ...(bindingTimeoutMs < 1000
        ? [invalid(at.child('bindingTimeout'), durationText(bindingTimeoutMs), 'must be at least 1 second')]
        : []),
    ],
  }),
);

/** Returns the errors of the arguments of a plugin. */
export const validateArguments = (name: string, args: unknown, at: FieldPath): FieldError[] =>
  validations.get(name)?.(args as never, at) ?? [];

const outside = (value: number, min: number, max: number, at: FieldPath): FieldError[] =>
  value < min || value > max ? [invalid(at, value, `not in valid range [${min}, ${max}]`)] : [];

const labelErrors = (name: string, at: FieldPath): FieldError[] =>
  validateQualifiedName(name).map((problem) => invalid(at, name, problem));

const actions = ['DoNotSchedule', 'ScheduleAnyway'];

function spreadErrors(
  { defaultingType, defaultConstraints }: PodTopologySpreadArgs,
  at: FieldPath,
): FieldError[] {
  const typeAt = at.child('defaultingType');
  const typeErrors = !['System', 'List'].includes(defaultingType)
    ? [notSupported(typeAt, defaultingType, ['System', 'List'])]
    : defaultingType === 'System' && defaultConstraints.length > 0
      ? [invalid(typeAt, defaultingType, 'when .defaultConstraints are not empty')]
      : [];
  const constraintErrors = defaultConstraints.flatMap((constraint, i) => {
    const { maxSkew = 0, topologyKey, whenUnsatisfiable: action, labelSelector } = constraint;
    const path = at.child('defaultConstraints').index(i);
    const isRepeated = defaultConstraints
      .slice(0, i)
      .some((one) => one.topologyKey === topologyKey && one.whenUnsatisfiable === action);
    const [keyAt, actionAt] = [path.child('topologyKey'), path.child('whenUnsatisfiable')];
    return [
      ...(maxSkew > 0 ? [] : [invalid(path.child('maxSkew'), maxSkew, 'not in valid range (0, inf)')]),
      ...(topologyKey === '' ? [required(keyAt, 'can not be empty')] : labelErrors(topologyKey, keyAt)),
      ...(action === ''
        ? [required(actionAt, 'can not be empty')]
        : actions.includes(action)
          ? []
          : [notSupported(actionAt, action, actions)]),
      ...(labelSelector == null
        ? []
        : [
            forbidden(
              path.child('labelSelector'),
              'constraint must not define a selector, as they deduced for each pod',
            ),
          ]),
      ...(isRepeated ? [duplicate(path, `{${topologyKey}, ${action}}`)] : []),
    ];
  });
  return [...typeErrors, ...constraintErrors];
}

const strategies = ['LeastAllocated', 'MostAllocated', 'RequestedToCapacityRatio'];

/** Returns the errors of the arguments of NodeResourcesFit. */
export function validateFitArguments(args: NodeResourcesFitArgs): FieldError[] {
  const { ignoredResources, ignoredResourceGroups, scoringStrategy } = args;
  const { type, resources, requestedToCapacityRatio: ratio } = scoringStrategy;
  const at = FieldPath.of('scoringStrategy');
  const isRatio = type === 'RequestedToCapacityRatio';
  return [
    ...ignoredResources.flatMap((name, i) => labelErrors(name, FieldPath.of('ignoredResources').index(i))),
    ...ignoredResourceGroups.flatMap((group, i) => {
      const path = FieldPath.of('ignoredResourceGroups').index(i);
      return [
        ...(group.includes('/') ? [invalid(path, group, "resource group name can't contain '/'")] : []),
        ...labelErrors(group, path),
      ];
    }),
    ...(strategies.includes(type) ? [] : [notSupported(at.child('type'), type, strategies)]),
    ...resources.flatMap(({ name, weight }, i) =>
      weight > 0 && weight <= 100
        ? []
        : [
            invalid(
              at.child('resources').index(i).child('weight'),
              weight,
              `resource weight of ${name} not in valid range (0, 100]`,
            ),
          ],
    ),
    ...(isRatio && ratio === undefined
      ? [
          required(
            at.child('requestedToCapacityRatio'),
            'must be specified when type is RequestedToCapacityRatio',
          ),
        ]
      : []),
    ...(isRatio && ratio !== undefined
      ? shapeErrors(ratio.shape, at.child('requestedToCapacityRatio', 'shape'))
      : []),
    ...(!isRatio && ratio !== undefined
      ? [
          forbidden(
            at.child('requestedToCapacityRatio'),
            'must be nil when type is not RequestedToCapacityRatio',
          ),
        ]
      : []),
  ];
}

function shapeErrors(shape: readonly Partial<ShapePoint>[], at: FieldPath): FieldError[] {
  if (shape.length === 0) return [required(at, 'at least one point must be specified')];
  const utilization = (i: number) => shape[i]?.utilization ?? 0;
  const unsorted = shape.findIndex((_, i) => i > 0 && utilization(i - 1) >= utilization(i));
  return [
    ...(unsorted > 0
      ? [
          invalid(
            at.index(unsorted).child('utilization'),
            utilization(unsorted),
            'values must be sorted in increasing order',
          ),
        ]
      : []),
    ...shape.flatMap(({ utilization = 0, score = 0 }, i) => [
      ...outside(utilization, 0, 100, at.index(i).child('utilization')),
      ...outside(score, 0, 10, at.index(i).child('score')),
    ]),
  ];
}
