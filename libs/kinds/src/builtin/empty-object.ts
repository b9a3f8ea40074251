import {
  type JsonObject,
  type JsonValue,
  type KubeObject,
  setAllOwn,
  setOwn,
  tableOf,
} from '@annex/machinery';
import { isListMessage, type MessageField, messageOf, messageOfKind } from '../protobuf/messages.ts';
import { isPlainMessage } from '../protobuf/values.ts';

const meta = 'k8s.io.apimachinery.pkg.apis.meta.v1';
const objectMeta = `${meta}.ObjectMeta`;
const numbers = new Set(['int32', 'int64', 'uint32', 'uint64', 'double', 'float']);

/** The zero values of Go types with a custom encoding; others are null. */
const zeroValues = tableOf<JsonValue>({
  string: '',
  bool: false,
  'k8s.io.apimachinery.pkg.util.intstr.IntOrString': 0,
  'k8s.io.apimachinery.pkg.api.resource.Quantity': '0',
});

/** Fields that the conversion from the internal version adds. */
const converted = tableOf<JsonObject>({
  'k8s.io.api.apps.v1.DeploymentSpec': { replicas: 0 },
  'k8s.io.api.apps.v1.ReplicaSetSpec': { replicas: 0 },
  'k8s.io.api.apps.v1.StatefulSetSpec': { replicas: 0 },
});

/** Returns the zero value of a kind as Go encodes it; `undefined` if the kind has no Go type here. */
export function emptyObject(apiVersion: string, kind: string): KubeObject | undefined {
  const message = messageOfKind(apiVersion, kind);
  return message === undefined
    ? undefined
    : { kind, apiVersion, ...emptyMessage(message, true), metadata: {} };
}

/** Returns the fields that Go serializes for a zero-valued message, without its type, or for one that was converted. */
export function emptyMessage(message: string, isConverted = false): JsonObject {
  const object: JsonObject = { ...(isConverted ? converted.get(message) : {}) };
  for (const field of messageOf(message).fields) {
    if (field.inline) setAllOwn(object, emptyMessage(field.type, isConverted));
    else if (!isOmitted(field)) setOwn(object, field.json, zero(field, isConverted));
  }
  return object;
}

const isStruct = ({ type, repeated, map, pointer }: MessageField): boolean =>
  type.includes('.') && !isListMessage(type) && !repeated && !map && !pointer;

// Go omits empty values, except structs.
const isOmitted = (field: MessageField): boolean => field.omitEmpty && !isStruct(field);

function zero(field: MessageField, isConverted: boolean): JsonValue {
  const { type, repeated, map, pointer } = field;
  if (repeated || map || pointer) return null;
  if (numbers.has(type)) return 0;
  if (type === objectMeta) return {};
  return isStruct(field) && isPlainMessage(type)
    ? emptyMessage(type, isConverted)
    : (zeroValues.get(type) ?? null);
}
