import { deepEqual, type FieldError, fieldErrors, type KubeObject } from '@annex/machinery';
import { childOf, objectsOf } from '../../shared/checks.ts';
import { internalDiff } from '../../shared/internal-diff.ts';
import { isStatic } from './static-pods.ts';
import { validatePod } from './validation.ts';

const at = 'spec.ephemeralContainers';

/** Checks a write of ephemeral containers: they can be added, but neither changed nor removed. */
export function validateEphemeralContainers(pod: KubeObject, old: KubeObject): FieldError[] {
  if (isStatic(old)) return [fieldErrors.forbidden('[]', 'static pods do not support ephemeral containers')];
  const containers = objectsOf(childOf(pod, 'spec').ephemeralContainers).toReversed();
  const byName = new Map(containers.map((container) => [container.name, container]));
  const errors = validatePod(pod);
  for (const before of objectsOf(childOf(old, 'spec').ephemeralContainers)) {
    const after = byName.get(before.name);
    const which = `existing ephemeral containers ${JSON.stringify(before.name)}`;
    if (after === undefined) errors.push(fieldErrors.forbidden(at, `${which} may not be removed\n`));
    else if (!deepEqual(before, after))
      errors.push(
        fieldErrors.forbidden(
          at,
          `${which} may not be changed\n${internalDiff('EphemeralContainer', before, after)}`,
        ),
      );
  }
  return errors;
}
