import {
  errorsOfEach,
  deepEqual,
  type FieldError,
  fieldErrors,
  FieldPath,
  forgetEmptyField,
  getOwn,
  keepEmptyFields,
  type JsonObject,
  type KubeObject,
  setOwn,
  stringifyJson,
} from '@annex/machinery';
import { sortedJson } from '@annex/schema';
import { childOf, isMissing, objectsOf } from '../../shared/checks.ts';
import { internalDiff } from '../../shared/internal-diff.ts';
import { toleration } from '../../shared/pod-spec/scheduling.ts';
import { restoreNodes } from './gated-update.ts';

const { forbidden, invalid, required } = fieldErrors;
const at = FieldPath.of('spec');
const lists = ['containers', 'initContainers'] as const;
const mostSeconds = 2 ** 31 - 1;

const immutableText =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

/** Checks that an update does not change immutable fields. */
export function validatePodUpdate(pod: KubeObject, old: KubeObject): FieldError[] {
  const [spec, before] = [childOf(pod, 'spec'), childOf(old, 'spec')];
  const errors: FieldError[] = [];
  for (const list of lists) {
    if (objectsOf(spec[list]).length !== objectsOf(before[list]).length)
      return [...errors, forbidden(at.child(list), 'pod updates may not add or remove containers')];
    errors.push(...imageErrors(spec[list], at.child(list)));
  }
  const deadline = deadlineError(spec.activeDeadlineSeconds, before.activeDeadlineSeconds);
  if (deadline !== undefined) errors.push(deadline);
  if (deadline !== undefined && !isMissing(spec.activeDeadlineSeconds)) return errors;
  errors.push(...tolerationErrors(objectsOf(spec.tolerations), objectsOf(before.tolerations)));
  errors.push(...gateErrors(objectsOf(spec.schedulingGates), objectsOf(before.schedulingGates)));
  const restored = restoreMutable(spec, before);
  if (objectsOf(before.schedulingGates).length > 0) errors.push(...restoreNodes(restored, before));
  if (!deepEqual(restored, before))
    errors.push(forbidden(at, `${immutableText}\n${internalDiff('PodSpec', before, restored)}`));
  return errors;
}

// kube-apiserver checks images again here.
const imageErrors = (containers: unknown, path: FieldPath): FieldError[] =>
  errorsOfEach(objectsOf(containers), ({ image = '' }, index) => {
    const where = path.index(index).child('image');
    if (image === '') return [required(where)];
    const isTrimmed = String(image).trim() === image;
    return isTrimmed ? [] : [invalid(where, image, 'must not have leading or trailing whitespace')];
  });

function deadlineError(after: unknown, before: unknown): FieldError | undefined {
  const path = at.child('activeDeadlineSeconds');
  if (isMissing(after))
    return isMissing(before)
      ? undefined
      : invalid(path, undefined, 'must not update from a positive integer to nil value');
  const seconds = Number(after);
  if (seconds < 0 || seconds > mostSeconds)
    return invalid(path, after, `must be between 0 and ${mostSeconds}, inclusive`);
  if (isMissing(before) || Number(before) >= seconds) return undefined;
  return invalid(path, after, 'must be less than or equal to previous value');
}

function tolerationErrors(after: readonly JsonObject[], before: readonly JsonObject[]): FieldError[] {
  const path = at.child('tolerations');
  const untimed = ({ tolerationSeconds: _seconds, ...others }: JsonObject) =>
    stringifyJson(sortedJson(others));
  const kept = new Set(after.map(untimed));
  if (!before.every((old) => kept.has(untimed(old))))
    return [forbidden(path, 'existing toleration can not be modified except its tolerationSeconds')];
  return errorsOfEach(after, (other, index) => toleration(other, path.index(index)));
}

function gateErrors(after: readonly JsonObject[], before: readonly JsonObject[]): FieldError[] {
  const known = new Set(before.map(({ name = '' }) => name));
  return errorsOfEach(after, ({ name = '' }, index) => {
    if (known.has(name)) return [];
    const text = `only deletion is allowed, but found new scheduling gate '${String(name)}'`;
    return [forbidden(at.child('schedulingGates').index(index).child('name'), text)];
  });
}

/** Returns the spec with the previous values of the fields that may change. */
function restoreMutable(spec: JsonObject, before: JsonObject): JsonObject {
  const restored = keepEmptyFields({ ...spec }, spec);
  for (const name of ['activeDeadlineSeconds', 'schedulingGates', 'tolerations'] as const)
    restore(restored, before, name);
  for (const list of lists) {
    const old = objectsOf(before[list]);
    if (restored[list] !== undefined)
      restored[list] = objectsOf(restored[list]).map((container, index) =>
        keepEmptyFields({ ...container, image: old[index]?.image ?? '' }, container),
      );
  }
  const grace = Number(before.terminationGracePeriodSeconds ?? 0);
  if (grace < 0 && spec.terminationGracePeriodSeconds === 1)
    restore(restored, before, 'terminationGracePeriodSeconds');
  return restored;
}

function restore(spec: JsonObject, before: JsonObject, name: string): void {
  const value = getOwn(before, name);
  forgetEmptyField(spec, name);
  if (value === undefined) delete spec[name];
  else setOwn(spec, name, value);
}
