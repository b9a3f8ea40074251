import {
  deepEqual,
  type FieldError,
  fieldErrors,
  isObject,
  type KubeObject,
  validateDns1123Label,
} from '@annex/machinery';
import {
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

/** Checks a StatefulSet. */
export const validateStatefulSet: Check = fields({
  spec: fields(
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
      volumeClaimTemplates: each((claim, at) => validateClaimSpec(childOf(claim, 'spec'), at.child('spec'))),
      replicas: nonNegative,
      minReadySeconds: nonNegative,
      ordinals: fields({ start: nonNegative }),
      serviceName: text(validateDns1123Label),
    },
    (value, at) => selectsItsPods('statefulset', 'StatefulSet')(withClaims(value), at),
  ),
});

/** Adds the volumes of the claim templates, so that mounts can refer to them. */
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

const mutableFields = new Set([
  'replicas',
  'template',
  'updateStrategy',
  'minReadySeconds',
  'ordinals',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
]);

/** Checks that an update changes nothing that is immutable. */
export function validateStatefulSetUpdate(object: KubeObject, old: KubeObject): FieldError[] {
  const kept = (of: KubeObject) =>
    Object.fromEntries(Object.entries(childOf(of, 'spec')).filter(([name]) => !mutableFields.has(name)));
  const text =
    "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";
  return deepEqual(kept(object), kept(old)) ? [] : [fieldErrors.forbidden('spec', text)];
}
