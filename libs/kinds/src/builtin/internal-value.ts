import {
  getOwn,
  goCount,
  goFlag,
  goList,
  goMap,
  goPointer,
  goStruct,
  goText,
  type GoValue,
  isObject,
  type JsonObject,
  type JsonValue,
  setAllOwn,
  setOwn,
  tableOf,
} from '@annex/machinery';
import { inGoOrder } from '../protobuf/go-order.ts';
import { recordedInternalTypes } from './data.ts';

const meta = 'k8s.io.apimachinery.pkg.apis.meta.v1.';

/** Types that are not structs, or encode themselves. */
const scalars = tableOf<GoValue>({
  string: goText,
  bool: goFlag,
  int: goCount,
  '=IntOrString': goCount,
  '=Quantity': (value) => value ?? '0',
  '=Time': goPointer,
  '=LabelSelector': (value) => inOrder(value, 'LabelSelector'),
  '=ObjectMeta': (value) => inOrder(value, 'ObjectMeta'),
});

const inOrder = (value: JsonValue | undefined, type: string): JsonObject =>
  inGoOrder(isObject(value) ? value : {}, `${meta}${type}`);

const structs = new Map<string, GoValue>();

/**
 * Returns what converts a value of v1 to that of kube-apiserver's internal struct with this name, in the form in which errors quote it: with
 * Go's names, all fields, and null for what is absent.
 */
export function internalValue(type: string): GoValue {
  if (type.startsWith('*')) return pointerTo(internalValue(type.slice(1)));
  if (type.startsWith('[]')) return goList(internalValue(type.slice(2)));
  if (type.startsWith('{}')) return goMap(internalValue(type.slice(2)));
  return scalars.get(type) ?? ((value) => structOf(type)(value));
}

const pointerTo =
  (pointed: GoValue): GoValue =>
  (value) =>
    value === undefined || value === null ? null : pointed(value);

/** Structs are made at their first use, because they contain each other. */
function structOf(name: string): GoValue {
  let made = structs.get(name);
  if (made === undefined) structs.set(name, (made = makeStruct(name)));
  return made;
}

function makeStruct(name: string): GoValue {
  const parts = (getOwn(recordedInternalTypes(), name) ?? []).map(([go, json, type]): GoValue => {
    const value = internalValue(type);
    if (go !== '') return goStruct([[go, json, value]]);
    return json === '' ? value : (whole) => value(memberOf(whole, json));
  });
  const struct: GoValue = (value) => {
    const made: JsonObject = {};
    for (const part of parts) setAllOwn(made, part(value) as JsonObject);
    return made;
  };
  return name === 'PodSpec' ? withHostFields(struct) : struct;
}

const memberOf = (value: JsonValue | undefined, name: string): JsonValue | undefined =>
  isObject(value) ? (getOwn(value, name) as JsonValue | undefined) : undefined;

const hostFields = ['hostNetwork', 'hostPID', 'hostIPC', 'shareProcessNamespace', 'hostUsers'];

/** Internally, the namespaces of the host that a Pod uses are in its security context, which is never absent. */
const withHostFields =
  (struct: GoValue): GoValue =>
  (spec) => {
    const context: JsonObject = { ...(memberOf(spec, 'securityContext') as JsonObject | undefined) };
    for (const name of hostFields) setOwn(context, name, memberOf(spec, name) ?? null);
    return { ...(struct(spec) as JsonObject), SecurityContext: structOf('PodSecurityContext')(context) };
  };
