import type { FieldPath } from '@annex/machinery';
import {
  errorsOfEach,
  type FieldError,
  fieldErrors,
  getOwn,
  type JsonObject,
  repetitions,
} from '@annex/machinery';
import { type Check, childOf, isMissing, objectsOf, oneOf, required } from '../checks.ts';

const { invalid, duplicate } = fieldErrors;

const resized = required(oneOf('cpu', 'memory'));
const whenResized = required(oneOf('NotRequired', 'RestartContainer'));

/** Checks what happens to a container whose resources change. All errors but repetitions have the path of the list. */
export const resizePolicy: Check = (value, at) => {
  const isRepeated = repetitions();
  return errorsOfEach(objectsOf(value), ({ resourceName = '', restartPolicy = '' }, index) => {
    const isFirst = !isRepeated(resourceName);
    return [
      ...(isFirst ? [] : [duplicate(at.index(index), resourceName)]),
      ...resized(resourceName, at),
      ...whenResized(restartPolicy, at),
    ];
  });
};

/** Checks that hooks that sleep end within the grace period of the pod. */
export function sleepingHooks(spec: JsonObject, at: FieldPath): FieldError[] {
  const grace = spec.terminationGracePeriodSeconds;
  if (typeof grace !== 'number') return [];
  return ['initContainers', 'containers'].flatMap((list) =>
    errorsOfEach(objectsOf(getOwn(spec, list)), (container, index) =>
      ['postStart', 'preStop'].flatMap((hook) => {
        const { sleep } = childOf(childOf(container, 'lifecycle'), hook);
        if (isMissing(sleep)) return [];
        const { seconds = 0 } = sleep as JsonObject;
        if (Number(seconds) >= 0 && Number(seconds) <= grace) return [];
        const text = `must be non-negative and less than terminationGracePeriodSeconds (${grace})`;
        return [invalid(at.child(list).index(index).child('lifecycle', hook, 'sleep'), seconds, text)];
      }),
    ),
  );
}
