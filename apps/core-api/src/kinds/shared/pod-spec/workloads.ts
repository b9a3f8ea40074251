import {
  compileLabelSelector,
  deepEqual,
  type FieldError,
  fieldErrors,
  fieldImmutable,
  FieldPath,
  getOwn,
  isObject,
  type JsonObject,
  type KubeObject,
  type LabelSelectorObject,
  SelectorError,
  validateAnnotations,
  validateDns1123Label,
  validateLabels,
  validatePercent,
} from '@annex/machinery';
import {
  type Check,
  childOf,
  fields,
  isMissing,
  nonNegative,
  oneOf,
  required,
  selector,
  text,
} from '../checks.ts';
import { podSpec } from './validation.ts';

const { invalid } = fieldErrors;

type Labels = Record<string, string>;
const labelsOf = (template: unknown): Labels =>
  childOf(childOf(template, 'metadata'), 'labels') as unknown as Labels;

/** A pod template: the labels and the spec of the pods to come. */
export const podTemplate: Check = (value, at) => [
  ...validateLabels(labelsOf(value), at.child('labels')),
  ...validateAnnotations(
    childOf(childOf(value, 'metadata'), 'annotations') as unknown as Labels,
    at.child('annotations'),
  ),
  ...podSpec(childOf(value, 'spec'), at.child('spec')),
  ...(isMissing(childOf(value, 'spec').ephemeralContainers)
    ? []
    : [
        fieldErrors.forbidden(
          at.child('spec', 'ephemeralContainers'),
          'ephemeral containers not allowed in pod template',
        ),
      ]),
];

/** Labels as kube's Go values print them: none are null. */
const shown = (labels: Labels): Labels | null => (Object.keys(labels).length > 0 ? labels : null);

/** Pods that are kept running: they restart always, and have no deadline. */
const runsForever =
  (kind: string): Check =>
  (value, at) => {
    const spec = childOf(value, 'spec');
    const where = at.child('spec');
    return [
      ...(spec.restartPolicy === 'Always'
        ? []
        : [fieldErrors.notSupported(where.child('restartPolicy'), spec.restartPolicy, ['Always'])]),
      ...(spec.activeDeadlineSeconds === undefined
        ? []
        : [
            fieldErrors.forbidden(
              where.child('activeDeadlineSeconds'),
              `activeDeadlineSeconds in ${kind} is not Supported`,
            ),
          ]),
    ];
  };

const isEmptySelector = (value: unknown) =>
  Object.keys(childOf(value, 'matchLabels')).length === 0 &&
  isMissing(isObject(value) ? (value.matchExpressions ?? []) : []);

/** A selector in the order of kube's Go value. */
const goSelector = ({ matchLabels, matchExpressions }: JsonObject) => ({
  ...(isObject(matchLabels)
    ? { matchLabels: Object.fromEntries(Object.entries(matchLabels).sort(([a], [b]) => (a < b ? -1 : 1))) }
    : {}),
  ...(matchExpressions === undefined ? {} : { matchExpressions }),
});

/** Whether the pods of a template would be found by the selector beside it. */
export function matches(spec: JsonObject, at: FieldPath): FieldError[] {
  try {
    const compiled = compileLabelSelector(spec.selector as LabelSelectorObject | undefined);
    const labels = labelsOf(spec.template);
    if (compiled.empty || compiled.matches(labels)) return [];
    const where = at.child('template', 'metadata', 'labels');
    return [invalid(where, shown(labels), '`selector` does not match template `labels`')];
  } catch (error) {
    if (error instanceof SelectorError)
      return [invalid(at.child('selector'), goSelector(childOf(spec, 'selector')), 'invalid label selector')];
    throw error;
  }
}

/** The selector of a workload, its template, and that they fit together. */
const selectsItsPods =
  (name: string, kind: string): Check =>
  (value, at) => {
    const spec = isObject(value) ? value : {};
    const where = at.child('selector');
    const missing = !isObject(spec.selector);
    const empty = `empty selector is invalid for ${name}`;
    return [
      ...(missing
        ? name === 'daemonset'
          ? []
          : [fieldErrors.required(where)]
        : selector(spec.selector, where)),
      ...(!missing && isEmptySelector(spec.selector) ? [invalid(where, spec.selector, empty)] : []),
      ...matches(spec, at),
      ...podTemplate(spec.template, at.child('template')),
      ...runsForever(kind)(spec.template, at.child('template')),
    ];
  };

// What is no number counts as none.
const amount = (value: unknown) =>
  typeof value === 'string' ? Number.parseInt(value, 10) || 0 : Number(value ?? 0);

const countOrPercent: Check = (value, at) =>
  typeof value === 'string'
    ? validatePercent(value).map((why) => invalid(at, value, why))
    : nonNegative(value, at);

const atMostAll: Check = (value, at) =>
  typeof value === 'string' && amount(value) > 100
    ? [invalid(at, value, 'must not be greater than 100%')]
    : [];

/** A strategy as kube's Go value prints it. */
const goStrategy = ({ type, rollingUpdate }: JsonObject) => ({
  Type: type ?? '',
  RollingUpdate: isObject(rollingUpdate) ? goRollingUpdate(rollingUpdate) : null,
});

const goRollingUpdate = ({ partition, maxUnavailable, maxSurge }: JsonObject) =>
  partition === undefined
    ? { MaxUnavailable: maxUnavailable ?? 0, MaxSurge: maxSurge ?? 0 }
    : { Partition: partition, MaxUnavailable: maxUnavailable ?? null };

const deploymentStrategy: Check = (value, at) => {
  const strategy = isObject(value) ? value : {};
  const rolling = strategy.rollingUpdate;
  if (strategy.type === 'Recreate') {
    const text = "may not be specified when strategy `type` is 'Recreate'";
    return rolling === undefined ? [] : [fieldErrors.forbidden(at.child('rollingUpdate'), text)];
  }
  if (strategy.type !== 'RollingUpdate')
    return [fieldErrors.notSupported(at, goStrategy(strategy), ['Recreate', 'RollingUpdate'])];
  const { maxUnavailable, maxSurge } = childOf(strategy, 'rollingUpdate');
  const path = at.child('rollingUpdate');
  const stuck = amount(maxUnavailable) === 0 && amount(maxSurge) === 0;
  return [
    ...countOrPercent(maxUnavailable, path.child('maxUnavailable')),
    ...countOrPercent(maxSurge, path.child('maxSurge')),
    ...(stuck
      ? [invalid(path.child('maxUnavailable'), maxUnavailable, 'may not be 0 when `maxSurge` is 0')]
      : []),
    ...atMostAll(maxUnavailable, path.child('maxUnavailable')),
  ];
};

const daemonSetStrategy: Check = (value, at) => {
  const strategy = isObject(value) ? value : {};
  if (strategy.type === 'OnDelete') return [];
  if (strategy.type !== 'RollingUpdate')
    return [fieldErrors.notSupported(at, goStrategy(strategy), ['RollingUpdate', 'OnDelete'])];
  const { maxUnavailable, maxSurge } = childOf(strategy, 'rollingUpdate');
  const path = at.child('rollingUpdate');
  const errors = [
    ...countOrPercent(maxUnavailable, path.child('maxUnavailable')),
    ...countOrPercent(maxSurge, path.child('maxSurge')),
    ...atMostAll(maxUnavailable, path.child('maxUnavailable')),
    ...atMostAll(maxSurge, path.child('maxSurge')),
  ];
  const [down, up] = [amount(maxUnavailable), amount(maxSurge)];
  if (down !== 0 && up !== 0) {
    errors.push(invalid(path.child('maxSurge'), maxSurge, 'may not be set when maxUnavailable is non-zero'));
  } else if (down === 0 && up === 0) {
    errors.push(fieldErrors.required(path.child('maxUnavailable'), 'cannot be 0 when maxSurge is 0'));
  }
  return errors;
};

const progressDeadline: Check = (value, at) => {
  const { progressDeadlineSeconds: deadline, minReadySeconds = 0 } = isObject(value) ? value : {};
  const path = at.child('progressDeadlineSeconds');
  if (deadline === undefined) return [];
  const late = Number(deadline) <= Number(minReadySeconds);
  return [
    ...nonNegative(deadline, path),
    ...(late ? [invalid(path, deadline, 'must be greater than minReadySeconds')] : []),
  ];
};

export const deployment: Check = fields({
  spec: fields(
    { replicas: nonNegative },
    selectsItsPods('deployment', 'ReplicaSet'),
    fields({
      strategy: deploymentStrategy,
      minReadySeconds: nonNegative,
      revisionHistoryLimit: nonNegative,
    }),
    progressDeadline,
  ),
});

export const replicaSet: Check = fields({
  spec: fields(
    { replicas: nonNegative, minReadySeconds: nonNegative },
    selectsItsPods('deployment', 'ReplicaSet'),
  ),
});

export const daemonSet: Check = fields({
  spec: fields(
    {},
    selectsItsPods('daemonset', 'DaemonSet'),
    fields({
      minReadySeconds: nonNegative,
      updateStrategy: daemonSetStrategy,
      revisionHistoryLimit: nonNegative,
    }),
  ),
});

const statefulSetStrategy: Check = (value, at) => {
  const strategy = isObject(value) ? value : {};
  const { type } = strategy;
  const rolling = at.child('rollingUpdate');
  const { partition, maxUnavailable } = childOf(strategy, 'rollingUpdate');
  if (type === 'RollingUpdate') return nonNegative(partition, rolling.child('partition'));
  if (type !== 'OnDelete') {
    return [invalid(at, goStrategy(strategy), "must be 'RollingUpdate' or 'OnDelete'")];
  }
  if (!isObject(strategy.rollingUpdate)) return [];
  const shownUpdate = { Partition: partition ?? 0, MaxUnavailable: maxUnavailable ?? null };
  return [invalid(rolling, shownUpdate, "only allowed for updateStrategy 'RollingUpdate'")];
};

export const statefulSet: Check = fields({
  spec: fields(
    {
      podManagementPolicy: required((value, at) =>
        value === 'OrderedReady' || value === 'Parallel'
          ? []
          : [invalid(at, value, "must be 'OrderedReady' or 'Parallel'")],
      ),
      updateStrategy: statefulSetStrategy,
      ordinals: fields({ start: nonNegative }),
      serviceName: text(validateDns1123Label),
      persistentVolumeClaimRetentionPolicy: fields({
        whenDeleted: oneOf('Retain', 'Delete'),
        whenScaled: oneOf('Retain', 'Delete'),
      }),
      replicas: nonNegative,
      minReadySeconds: nonNegative,
    },
    (value, at) => selectsItsPods('statefulset', 'StatefulSet')(withClaims(value), at),
  ),
});

/** The volumes that claim templates will make are there for the mounts of the pods. */
function withClaims(value: unknown): unknown {
  if (!isObject(value) || !Array.isArray(value.volumeClaimTemplates)) return value;
  const claims = value.volumeClaimTemplates.map((claim) => {
    const { name = '' } = childOf(claim, 'metadata');
    return { name, persistentVolumeClaim: { claimName: name } };
  });
  const template = childOf(value, 'template');
  const spec = childOf(template, 'spec');
  const own = Array.isArray(spec.volumes) ? spec.volumes : [];
  const others = own.filter(
    (volume) => !claims.some((claim) => isObject(volume) && claim.name === volume.name),
  );
  return { ...value, template: { ...template, spec: { ...spec, volumes: [...claims, ...others] } } };
}

export const replicationController: Check = fields({
  spec: (value, at) => {
    const spec = isObject(value) ? value : {};
    const labels = labelsOf(spec.template) as Record<string, unknown>;
    const wanted = Object.entries(childOf(spec, 'selector'));
    const found = wanted.every(([key, label]) => getOwn(labels, key) === label);
    const where = at.child('template', 'metadata', 'labels');
    return [
      ...nonNegative(spec.minReadySeconds, at.child('minReadySeconds')),
      ...(wanted.length === 0 ? [fieldErrors.required(at.child('selector'))] : []),
      ...nonNegative(spec.replicas, at.child('replicas')),
      ...(isObject(spec.template) ? [] : [fieldErrors.required(at.child('template'))]),
      ...(found || !isObject(spec.template)
        ? []
        : [invalid(where, shown(labels as Labels), '`selector` does not match template `labels`')]),
      ...(isObject(spec.template) ? podTemplate(spec.template, at.child('template')) : []),
      ...(isObject(spec.template)
        ? runsForever('ReplicationController')(spec.template, at.child('template'))
        : []),
    ];
  },
});

/** A field of the spec that never changes. */
export const immutableField = (object: KubeObject, old: KubeObject, name: string): FieldError[] => {
  const [now, before] = [getOwn(childOf(object, 'spec'), name), getOwn(childOf(old, 'spec'), name)];
  return deepEqual(now, before) ? [] : [invalid(FieldPath.of('spec', name), now, fieldImmutable)];
};

const mutableOfStatefulSets = new Set([
  'replicas',
  'template',
  'updateStrategy',
  'minReadySeconds',
  'ordinals',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
]);

/** Changes of a StatefulSet that are not allowed. */
export function statefulSetChanges(object: KubeObject, old: KubeObject): FieldError[] {
  const kept = (of: KubeObject) =>
    Object.fromEntries(
      Object.entries(childOf(of, 'spec')).filter(([name]) => !mutableOfStatefulSets.has(name)),
    );
  const text =
    "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";
  return deepEqual(kept(object), kept(old)) ? [] : [fieldErrors.forbidden('spec', text)];
}
