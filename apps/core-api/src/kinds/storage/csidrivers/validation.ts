import {
  errorsOfEach,
  deepEqual,
  type FieldError,
  fieldErrors,
  fieldImmutable,
  FieldPath,
  getOwn,
  type KubeObject,
  repetitions,
} from '@annex/machinery';
import { type Check, childOf, fields, objectsOf, oneOf } from '../../shared/checks.ts';

const { invalid } = fieldErrors;
const leastSeconds = 600;
const mostSeconds = 2 ** 32;

const tokenRequests: Check = (value, at) => {
  const isRepeated = repetitions();
  return errorsOfEach(objectsOf(value), ({ audience = '', expirationSeconds: seconds }, index) => {
    const where = at.index(index);
    if (isRepeated(audience)) return [fieldErrors.duplicate(where.child('audience'), audience)];
    const place = where.child('expirationSeconds');
    if (typeof seconds !== 'number') return [];
    if (seconds < leastSeconds)
      return [invalid(place, seconds, 'may not specify a duration less than 10 minutes')];
    return seconds > mostSeconds
      ? [invalid(place, seconds, 'may not specify a duration larger than 2^32 seconds')]
      : [];
  });
};

const period: Check = (value, at) =>
  typeof value === 'number' && value < 10
    ? [invalid(at, value, 'must be greater than or equal to 10 seconds')]
    : [];

/** Checks the spec of a CSIDriver. */
export const validateCsiDriverSpec: Check = fields(
  {
    fsGroupPolicy: oneOf('File', 'None', 'ReadWriteOnceWithFSType'),
    tokenRequests,
    volumeLifecycleModes: (value, at) =>
      errorsOfEach(Array.isArray(value) ? value : [], (mode) =>
        oneOf('Persistent', 'Ephemeral')(mode ?? '', at),
      ),
    nodeAllocatableUpdatePeriodSeconds: period,
  },
  (value, at) => {
    const { serviceAccountTokenInSecrets: inSecrets, tokenRequests: requests } = value as Record<
      string,
      unknown
    >;
    if (inSecrets === undefined || objectsOf(requests).length > 0) return [];
    const text = 'serviceAccountTokenInSecrets is set but no tokenRequests are specified';
    return [invalid(at.child('serviceAccountTokenInSecrets'), inSecrets, text)];
  },
);

/** Checks that the settings of kubelets do not change. kube-apiserver names one of them differently. */
export function fixedSettings(driver: KubeObject, old: KubeObject): FieldError[] {
  const [spec, before] = [childOf(driver, 'spec'), childOf(old, 'spec')];
  const settings = { attachRequired: 'attachedRequired', volumeLifecycleModes: 'volumeLifecycleModes' };
  return Object.entries(settings).flatMap(([name, shown]) => {
    const [value, was] = [getOwn(spec, name) ?? null, getOwn(before, name) ?? null];
    return deepEqual(value, was) ? [] : [invalid(FieldPath.of('spec', shown), value, fieldImmutable)];
  });
}
