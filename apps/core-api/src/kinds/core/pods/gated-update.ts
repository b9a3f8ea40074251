import { internalValue } from '@annex/kinds';
import {
  deepEqual,
  emptyFieldOf,
  type FieldError,
  fieldErrors,
  FieldPath,
  forgetEmptyField,
  type JsonObject,
} from '@annex/machinery';
import { childOf, isMissing, objectsOf } from '../../shared/checks.ts';

const { invalid } = fieldErrors;
const goTerm = internalValue('NodeSelectorTerm');
const selectorPath = FieldPath.of('spec', 'nodeSelector');
const termsPath = FieldPath.of(
  'spec',
  'affinity',
  'nodeAffinity',
  'requiredDuringSchedulingIgnoredDuringExecution',
  'nodeSelectorTerms',
);

/**
 * Checks the nodes that an update of a gated pod selects: conditions can only be added. Sets the previous values in the spec, for the comparison
 * of all other fields.
 */
export function restoreNodes(spec: JsonObject, before: JsonObject): FieldError[] {
  const errors = [...selectorErrors(spec, before), ...affinityErrors(spec, before)];
  // To kube-apiserver, an empty map equals an absent one, and is not replaced by it.
  if (before.nodeSelector !== undefined) forgetEmptyField(spec, 'nodeSelector');
  if (before.nodeSelector === undefined) delete spec.nodeSelector;
  else spec.nodeSelector = before.nodeSelector;
  const { nodeAffinity: _after, ...others } = childOf(spec, 'affinity');
  const { nodeAffinity } = childOf(before, 'affinity');
  const affinity: JsonObject = { ...others, ...(nodeAffinity === undefined ? {} : { nodeAffinity }) };
  if (Object.keys(affinity).length > 0 || before.affinity !== undefined) spec.affinity = affinity;
  else delete spec.affinity;
  return errors;
}

function selectorErrors(spec: JsonObject, before: JsonObject): FieldError[] {
  const after = childOf(spec, 'nodeSelector');
  const old = childOf(before, 'nodeSelector');
  if (Object.keys(old).every((key) => Object.hasOwn(after, key) && after[key] === old[key])) return [];
  const text = 'only additions to spec.nodeSelector are allowed (no mutations or deletions)';
  return [invalid(selectorPath, spec.nodeSelector ?? emptyFieldOf(spec, 'nodeSelector'), text)];
}

const requiredOf = (spec: JsonObject): JsonObject =>
  childOf(
    childOf(childOf(spec, 'affinity'), 'nodeAffinity'),
    'requiredDuringSchedulingIgnoredDuringExecution',
  );

const termsOf = (spec: JsonObject): unknown =>
  requiredOf(spec).nodeSelectorTerms ?? emptyFieldOf(requiredOf(spec), 'nodeSelectorTerms');

function affinityErrors(spec: JsonObject, before: JsonObject): FieldError[] {
  const [old, terms] = [objectsOf(termsOf(before)), objectsOf(termsOf(spec))];
  if (old.length === 0) return [];
  if (old.length !== terms.length) {
    const text = 'no additions/deletions to non-empty NodeSelectorTerms list are allowed';
    return [
      invalid(
        termsPath,
        isMissing(termsOf(spec)) && !Array.isArray(termsOf(spec)) ? null : terms.map(goTerm),
        text,
      ),
    ];
  }
  return old.flatMap((term, index) => {
    const after = terms[index] as JsonObject;
    const text = 'only additions are allowed (no mutations or deletions)';
    return onlyAdds(after, term) ? [] : [invalid(termsPath.index(index), goTerm(after), text)];
  });
}

const requirements = ['matchExpressions', 'matchFields'] as const;

function onlyAdds(after: JsonObject, term: JsonObject): boolean {
  const count = (value: JsonObject) =>
    requirements.reduce((sum, list) => sum + objectsOf(value[list]).length, 0);
  // A term without requirements matches nothing.
  if (count(term) === 0 && count(after) > 0) return false;
  return requirements.every((list) => {
    const old = objectsOf(term[list]);
    return deepEqual(objectsOf(after[list]).slice(0, old.length), old);
  });
}
