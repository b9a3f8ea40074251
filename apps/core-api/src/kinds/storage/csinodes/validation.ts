import {
  errorsOfEach,
  deepEqual,
  type FieldError,
  fieldErrors,
  fieldImmutable,
  FieldPath,
  isObject,
  type JsonObject,
  type JsonValue,
  type KubeObject,
  repetitions,
  validateQualifiedName,
} from '@annex/machinery';
import { type Check, childOf, fields, nonNegative, objectsOf, required } from '../../shared/checks.ts';
import { validateCsiDriverName } from '../shared/validation.ts';

const { invalid, duplicate } = fieldErrors;
const longestNodeId = 256;

const nodeId: Check = (value, at) =>
  Buffer.byteLength(String(value)) > longestNodeId
    ? [invalid(at, value, `must be ${longestNodeId} characters or less`)]
    : [];

/** Errors of a key have the path of the driver. */
const topologyKeys = (keys: readonly (JsonValue | undefined)[]): Check => {
  const names = keys.map((key) => String(key ?? ''));
  return (_, at) => {
    const isRepeated = repetitions();
    return errorsOfEach(names, (name) => [
      ...(name === '' ? [fieldErrors.required(at)] : []),
      ...(isRepeated(name) ? [duplicate(at, name)] : []),
      ...validateQualifiedName(name).map((why) => invalid(at, name, why)),
    ]);
  };
};

const driverFields = fields({
  name: validateCsiDriverName,
  nodeID: required(nodeId),
  allocatable: fields({ count: nonNegative }),
});

/** Checks the spec of a CSINode. */
export const validateCsiNodeSpec: Check = (value, at) => {
  const isRepeated = repetitions();
  return errorsOfEach(objectsOf(isObject(value) ? value.drivers : undefined), (driver, index) => {
    const where = at.child('drivers').index(index);
    const name = driver.name ?? '';
    const isFirst = !isRepeated(name);
    return [
      ...driverFields(driver, where),
      ...(isFirst ? [] : [duplicate(where.child('name'), name)]),
      ...topologyKeys(Array.isArray(driver.topologyKeys) ? driver.topologyKeys : [])(driver, where),
    ];
  });
};

/** Returns the Go value of a driver without its capacity, which may change. */
const goDriver = ({ name, nodeID, topologyKeys }: JsonObject) => ({
  Name: name ?? '',
  NodeID: nodeID ?? '',
  TopologyKeys: topologyKeys ?? null,
  Allocatable: null,
});

/** Checks that drivers do not change, except for their capacity. */
export function fixedDrivers(node: KubeObject, old: KubeObject): FieldError[] {
  const driversOf = (of: KubeObject) => objectsOf(childOf(of, 'spec').drivers).map(goDriver);
  const drivers = Map.groupBy(driversOf(node), ({ Name }) => Name);
  return errorsOfEach(driversOf(old), (before) =>
    (drivers.get(before.Name) ?? [])
      .filter((driver) => !deepEqual(driver as JsonObject, before as JsonObject))
      .map((driver) => invalid(FieldPath.of('spec', 'drivers'), driver, fieldImmutable)),
  );
}
