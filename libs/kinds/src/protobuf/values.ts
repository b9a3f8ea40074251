import { isListMessage } from './messages.ts';
import { formatTime, getOwn, isObject, type JsonObject, type JsonValue, parseTime } from '@annex/machinery';

/** The JSON form of a message that is not an object of its fields. */
interface Shape {
  /** Returns the JSON of a message; `undefined` if it is empty. */
  show(message: JsonObject): JsonValue | undefined;
  /**
   * Returns the fields of the message for a JSON value, without null; `undefined` if the message is empty.
   */
  take(value: JsonValue): Partial<JsonObject> | undefined;
}

const meta = 'k8s.io.apimachinery.pkg.apis.meta.v1';
const extensions = 'k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1';

/** Messages with other JSON in a bytes field. */
export const rawMessages: ReadonlySet<string> = new Set([
  `${meta}.FieldsV1`,
  'k8s.io.apimachinery.pkg.runtime.RawExtension',
  `${extensions}.JSON`,
]);

const quantity: Shape = {
  show: ({ string = '0' }) => string,
  take: (value) => ({ string: value === null ? '0' : String(value) }),
};

const intOrString: Shape = {
  show: ({ type, intVal = 0, strVal = '' }) => (type === 1 ? strVal : intVal),
  take: (value) => (typeof value === 'string' ? { type: 1, strVal: value } : { type: 0, intVal: value }),
};

// A zero time has no fields.
const time: Shape = {
  show: ({ seconds }) => (seconds === undefined ? undefined : formatTime(Number(seconds) * 1000)),
  take: (value) => (value === null ? undefined : { seconds: wholeSeconds(value), nanos: 0 }),
};

const microTime: Shape = {
  show: ({ seconds, nanos = 0 }) => {
    if (seconds === undefined) return undefined;
    const micros = String(Math.trunc(Number(nanos) / 1000)).padStart(6, '0');
    return formatTime(Number(seconds) * 1000).replace('Z', `.${micros}Z`);
  },
  take: (value) => {
    if (value === null) return undefined;
    const fraction = /\.(\d{1,9})/.exec(String(value))?.[1] ?? '';
    return { seconds: wholeSeconds(value), nanos: Number(fraction.padEnd(9, '0')) };
  },
};

const wholeSeconds = (value: JsonValue): number => Math.floor((parseTime(String(value)) ?? 0) / 1000);

const schemaOrBool: Shape = {
  show: ({ schema, allows = false }) => schema ?? allows,
  take: (value) => (isObject(value) ? { allows: true, schema: value } : { allows: value }),
};

const schemaOrArray: Shape = {
  show: ({ schema, jSONSchemas = [] }) => schema ?? jSONSchemas,
  take: (value) => (isObject(value) ? { schema: value } : { jSONSchemas: value }),
};

const schemaOrStrings: Shape = {
  show: ({ schema, property = [] }) => schema ?? property,
  take: (value) => (isObject(value) ? { schema: value } : { property: value }),
};

const shapes: Readonly<Record<string, Shape>> = {
  'k8s.io.apimachinery.pkg.api.resource.Quantity': quantity,
  'k8s.io.apimachinery.pkg.api.resource.QuantityValue': quantity,
  'k8s.io.apimachinery.pkg.util.intstr.IntOrString': intOrString,
  [`${meta}.Time`]: time,
  [`${meta}.MicroTime`]: microTime,
  [`${extensions}.JSONSchemaPropsOrBool`]: schemaOrBool,
  [`${extensions}.JSONSchemaPropsOrArray`]: schemaOrArray,
  [`${extensions}.JSONSchemaPropsOrStringArray`]: schemaOrStrings,
};

/** Returns the JSON form of messages of that name; `undefined` for plain objects. */
export const shapeOf = (name: string): Shape | undefined => getOwn(shapes, name) as Shape | undefined;

/** Returns whether the JSON is an object of the message's fields. */
export const isPlainMessage = (name: string): boolean =>
  !rawMessages.has(name) && !isListMessage(name) && shapeOf(name) === undefined;

/** Returns the value of an absent scalar; null for messages. */
export const zeroOf = (type: string): JsonValue => {
  if (type.includes('.')) return null;
  return type === 'string' || type === 'bytes' ? '' : type === 'bool' ? false : 0;
};
