import {
  errorsOfEach,
  type FieldError,
  fieldErrors,
  FieldPath,
  isObject,
  type JsonObject,
  type KubeObject,
  validateDns1123Subdomain,
} from '@annex/machinery';
import { childOf, isMissing, objectsOf } from '../../shared/checks.ts';
import { validatePodSpec } from '../../shared/pod-spec/validation.ts';

/** Checks that a new pod has no ephemeral containers: they can only be added to existing pods. */
export const validateNewPod = ({ spec }: KubeObject): FieldError[] =>
  isMissing(childOf({ spec }, 'spec').ephemeralContainers)
    ? []
    : [fieldErrors.forbidden('spec.ephemeralContainers', 'cannot be set on create')];

/** Checks a pod, as it is after each write. */
export function validatePod(pod: KubeObject): FieldError[] {
  const volumes = objectsOf(childOf(pod, 'spec').volumes);
  const claims = claimsOf(pod, volumes);
  return [
    ...validatePodSpec(pod.spec, FieldPath.of('spec')),
    ...errorsOfEach(volumes, (volume, index) =>
      volumeErrors(pod, volume, claims, FieldPath.of('spec', 'volumes').index(index)),
    ),
  ];
}

/** Checks what only the volumes of pods have, not those of templates. */
function volumeErrors(
  pod: KubeObject,
  volume: JsonObject,
  claims: ReadonlySet<string>,
  at: FieldPath,
): FieldError[] {
  const { projected, ephemeral, persistentVolumeClaim, name } = volume;
  const errors: FieldError[] = [];
  if (isObject(ephemeral) && pod.metadata.name && !isMissing(name)) {
    const claim = `${pod.metadata.name}-${String(name)}`;
    for (const why of validateDns1123Subdomain(claim))
      errors.push(fieldErrors.invalid(at.child('name'), name, `PVC name ${JSON.stringify(claim)}: ${why}`));
  }
  if (isObject(persistentVolumeClaim) && claims.has(String(persistentVolumeClaim.claimName))) {
    const text = 'must not reference a PVC that gets created for an ephemeral volume';
    errors.push(
      fieldErrors.invalid(
        at.child('persistentVolumeClaim', 'claimName'),
        persistentVolumeClaim.claimName,
        text,
      ),
    );
  }
  if (isObject(projected) && isMissing(childOf(pod, 'spec').serviceAccountName))
    errors.push(...tokensWithoutAccount(projected, at.child('projected')));
  return errors;
}

/** Returns the names of the claims that are created for a pod. */
const claimsOf = (pod: KubeObject, volumes: readonly JsonObject[]): ReadonlySet<string> =>
  new Set(
    volumes
      .filter(({ ephemeral }) => isObject(ephemeral) && pod.metadata.name !== undefined)
      .map(({ name }) => `${pod.metadata.name}-${String(name)}`),
  );

const tokensWithoutAccount = (projected: JsonObject, at: FieldPath): FieldError[] =>
  errorsOfEach(objectsOf(projected.sources), ({ serviceAccountToken }, index) =>
    isObject(serviceAccountToken)
      ? [
          fieldErrors.forbidden(
            at.child('sources').index(index).child('serviceAccountToken'),
            'must not be specified when serviceAccountName is not set',
          ),
        ]
      : [],
  );
