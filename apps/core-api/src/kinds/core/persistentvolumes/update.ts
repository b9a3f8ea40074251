import { internalValue } from '@annex/kinds';
import {
  deepEqual,
  type FieldError,
  fieldErrors,
  fieldImmutable,
  FieldPath,
  getOwn,
  isObject,
  type JsonObject,
  type KubeObject,
  tableOf,
} from '@annex/machinery';
import { childOf, isMissing, objectsOf } from '../../shared/checks.ts';
import { internalDiff } from '../../shared/internal-diff.ts';
import { volumeSources } from './sources.ts';
import { validateVolumeSpec } from './validation.ts';

const { forbidden, invalid } = fieldErrors;
const goTerm = internalValue('NodeSelectorTerm');

/** Checks that an update changes neither the source nor the mode of a volume. */
export function validateVolumeUpdate(volume: KubeObject, old: KubeObject): FieldError[] {
  const [spec, before] = [childOf(volume, 'spec'), childOf(old, 'spec')];
  // kube-apiserver checks the whole spec again.
  const errors = validateVolumeSpec(spec, FieldPath.of('spec'));
  const source = sourceOf(spec, before);
  if (!Object.keys(volumeSources).every((name) => deepEqual(getOwn(source, name), getOwn(before, name)))) {
    const difference = internalDiff('PersistentVolumeSource', before, source);
    errors.push(forbidden('spec.persistentvolumesource', `${sourceText}\n${difference}`));
  }
  if (spec.volumeMode !== before.volumeMode)
    errors.push(invalid('volumeMode', spec.volumeMode, fieldImmutable));
  if (before.nodeAffinity !== undefined && !isSameAffinity(spec, before))
    errors.push(invalid('nodeAffinity', goAffinity(spec.nodeAffinity), affinityText));
  if (!isMissing(before.volumeAttributesClassName) && isMissing(spec.volumeAttributesClassName))
    errors.push(forbidden('spec.volumeAttributesClassName', 'update from non-nil value to nil is forbidden'));
  return errors;
}

const sourceText = 'spec.persistentvolumesource is immutable after creation';

/** Returns the spec whose source is compared: the secret for expansion may be added to that of a driver. */
function sourceOf(spec: JsonObject, before: JsonObject): JsonObject {
  const { csi } = spec;
  if (!isObject(csi) || !isObject(before.csi) || before.csi.controllerExpandSecretRef !== undefined)
    return spec;
  const { controllerExpandSecretRef: _added, ...others } = csi;
  return { ...spec, csi: others as JsonObject };
}

const affinityText = 'field is immutable, except for updating from beta label to GA';

/** Labels of nodes that were renamed: a volume may be updated to the new names. */
const newLabels = tableOf({
  'beta.kubernetes.io/arch': 'kubernetes.io/arch',
  'beta.kubernetes.io/os': 'kubernetes.io/os',
  'beta.kubernetes.io/instance-type': 'node.kubernetes.io/instance-type',
  'failure-domain.beta.kubernetes.io/region': 'topology.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone': 'topology.kubernetes.io/zone',
});

function isSameAffinity(spec: JsonObject, before: JsonObject): boolean {
  const [terms, old] = [termsOf(spec), termsOf(before)];
  return (
    terms.length === old.length && terms.every((term, index) => isSameTerm(term, old[index] as JsonObject))
  );
}

const termsOf = (spec: JsonObject): readonly JsonObject[] =>
  objectsOf(childOf(childOf(spec, 'nodeAffinity'), 'required').nodeSelectorTerms);

function isSameTerm(term: JsonObject, old: JsonObject): boolean {
  const [expressions, before] = [objectsOf(term.matchExpressions), objectsOf(old.matchExpressions)];
  if (expressions.length !== before.length) return false;
  const isSame = expressions.every((expression, index) => {
    const stored = before[index] as JsonObject;
    const renamed = newLabels.get(String(stored.key));
    return deepEqual(expression, stored) || deepEqual(expression, { ...stored, key: renamed ?? stored.key });
  });
  return isSame && deepEqual(objectsOf(term.matchFields), objectsOf(old.matchFields));
}

/** Returns the affinity as the Go value that kube-apiserver's message contains. */
function goAffinity(affinity: unknown): JsonObject | null {
  if (!isObject(affinity)) return null;
  const { required } = affinity;
  if (!isObject(required)) return { Required: null };
  const { nodeSelectorTerms: terms } = required;
  return { Required: { NodeSelectorTerms: Array.isArray(terms) ? objectsOf(terms).map(goTerm) : null } };
}
