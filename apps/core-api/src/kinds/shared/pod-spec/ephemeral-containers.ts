import {
  errorsOfEach,
  type FieldError,
  fieldErrors,
  type FieldPath,
  getOwn,
  isObject,
  type JsonObject,
  lazily,
} from '@annex/machinery';
import { type Check, isMissing, objectsOf } from '../checks.ts';

/** Fields of containers that ephemeral containers do not have. */
const absentFields = [
  'ports',
  'resources',
  'resizePolicy',
  'restartPolicy',
  'restartPolicyRules',
  'livenessProbe',
  'readinessProbe',
  'startupProbe',
  'lifecycle',
];

const unsupported = 'cannot be set for an Ephemeral Container';

const isSet = (value: unknown): boolean =>
  !isMissing(value) && !(isObject(value) && Object.keys(value).length === 0);

/** Checks what only ephemeral containers have: their target is another container, and they are not part of the workload. */
export function ephemeralContainer(spec: JsonObject): Check {
  const targets = lazily(() => containerNames(spec));
  return (value, at) => {
    const container = isObject(value) ? value : {};
    const forbidden = (...names: string[]) => fieldErrors.forbidden(at.child(...names), unsupported);
    return [
      ...targetErrors(container.targetContainerName, targets, at.child('targetContainerName')),
      ...absentFields.filter((name) => isPresent(container, name)).map((name) => forbidden(name)),
      ...errorsOfEach(objectsOf(container.volumeMounts), (mount, index) =>
        ['subPath', 'subPathExpr']
          .filter((name) => !isMissing(getOwn(mount, name)))
          .map((name) =>
            fieldErrors.forbidden(at.child('volumeMounts').index(index).child(name), unsupported),
          ),
      ),
    ];
  };
}

// Go has pointers for probes and hooks, which are set if they are empty.
const isPresent = (container: JsonObject, name: string): boolean =>
  name === 'resources'
    ? isSet(container.resources)
    : isObject(getOwn(container, name)) || isSet(getOwn(container, name));

const targetErrors = (name: unknown, targets: () => ReadonlySet<unknown>, at: FieldPath): FieldError[] =>
  isMissing(name) || targets().has(name) ? [] : [fieldErrors.notFound(at, name)];

const containerNames = (spec: JsonObject): ReadonlySet<unknown> =>
  new Set(
    ['containers', 'initContainers'].flatMap((list) => objectsOf(getOwn(spec, list)).map(({ name }) => name)),
  );
