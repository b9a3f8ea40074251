import { type FieldError, fieldErrors, getOwn, isObject, type JsonObject } from '@annex/machinery';
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
export const ephemeralContainer =
  (spec: JsonObject): Check =>
  (value, at) => {
    const container = isObject(value) ? value : {};
    const forbidden = (...names: string[]) => fieldErrors.forbidden(at.child(...names), unsupported);
    return [
      ...target(spec, container.targetContainerName)(at.child('targetContainerName')),
      ...absentFields.filter((name) => isPresent(container, name)).map((name) => forbidden(name)),
      ...objectsOf(container.volumeMounts).flatMap((mount, index) =>
        ['subPath', 'subPathExpr']
          .filter((name) => !isMissing(getOwn(mount, name)))
          .map((name) =>
            fieldErrors.forbidden(at.child('volumeMounts').index(index).child(name), unsupported),
          ),
      ),
    ];
  };

// Go has pointers for probes and hooks, which are set if they are empty.
const isPresent = (container: JsonObject, name: string): boolean =>
  name === 'resources'
    ? isSet(container.resources)
    : isObject(getOwn(container, name)) || isSet(getOwn(container, name));

const target =
  (spec: JsonObject, name: unknown) =>
  (at: Parameters<Check>[1]): FieldError[] => {
    const others = ['containers', 'initContainers'].flatMap((list) => objectsOf(getOwn(spec, list)));
    return isMissing(name) || others.some((other) => other.name === name)
      ? []
      : [fieldErrors.notFound(at, name)];
  };
