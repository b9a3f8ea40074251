import {
  deepEqual,
  type FieldError,
  fieldErrors,
  FieldPath,
  isObject,
  type KubeObject,
  validateDns1123Label,
} from '@annex/machinery';
import {
  all,
  type Check,
  childOf,
  each,
  fields,
  nonNegative,
  oneOf,
  required,
  text,
} from '../../shared/checks.ts';
import { validateClaimSpec } from '../../core/persistentvolumeclaims/validation.ts';
import { selectsItsPods } from '../shared/selector.ts';
import { goStrategy } from '../shared/update-strategy.ts';

const { invalid } = fieldErrors;

const updateStrategy: Check = (value, at) => {
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

const claimTemplates: Check = each((claim, at) =>
  validateClaimSpec(childOf(claim, 'spec'), at.child('spec')),
);

/** What cannot change is not checked again: claims and names that were valid once may be stored. */
const validateSpec = (ofNew: { claimTemplates: Check; serviceName: Check }): Check =>
  fields(
    {
      podManagementPolicy: required((value, at) =>
        value === 'OrderedReady' || value === 'Parallel'
          ? []
          : [invalid(at, value, "must be 'OrderedReady' or 'Parallel'")],
      ),
      updateStrategy,
      persistentVolumeClaimRetentionPolicy: fields({
        whenDeleted: oneOf('Retain', 'Delete'),
        whenScaled: oneOf('Retain', 'Delete'),
      }),
      volumeClaimTemplates: ofNew.claimTemplates,
      replicas: nonNegative,
      minReadySeconds: nonNegative,
      ordinals: fields({ start: nonNegative }),
      serviceName: ofNew.serviceName,
    },
    (value, at) => selectsItsPods('statefulset', 'StatefulSet')(withClaims(value), at),
  );

/** Checks a new StatefulSet. */
export const validateStatefulSet: Check = fields({
  spec: validateSpec({ claimTemplates, serviceName: text(validateDns1123Label) }),
});

const validateUpdated = fields({ spec: validateSpec({ claimTemplates: all(), serviceName: all() }) });

/** Adds the volumes of the claim templates, so that mounts can refer to them. */
function withClaims(value: unknown): unknown {
  if (!isObject(value) || !Array.isArray(value.volumeClaimTemplates)) return value;
  const names = new Set(value.volumeClaimTemplates.map((claim) => childOf(claim, 'metadata').name ?? ''));
  const claims = [...names].map((name) => ({ name, persistentVolumeClaim: { claimName: name } }));
  const template = childOf(value, 'template');
  const spec = childOf(template, 'spec');
  const own = Array.isArray(spec.volumes) ? spec.volumes : [];
  const others = own.filter((volume) => !isObject(volume) || !names.has(volume.name ?? ''));
  return { ...value, template: { ...template, spec: { ...spec, volumes: [...claims, ...others] } } };
}

const mutableFields = new Set([
  'replicas',
  'template',
  'updateStrategy',
  'minReadySeconds',
  'ordinals',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
]);

/** Checks an updated StatefulSet, and that nothing is changed that is immutable. */
export function validateStatefulSetUpdate(object: KubeObject, old: KubeObject): FieldError[] {
  const kept = (of: KubeObject) =>
    Object.fromEntries(Object.entries(childOf(of, 'spec')).filter(([name]) => !mutableFields.has(name)));
  const text =
    "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";
  return [
    ...validateUpdated(object, FieldPath.root),
    ...(deepEqual(kept(object), kept(old)) ? [] : [fieldErrors.forbidden('spec', text)]),
  ];
}
