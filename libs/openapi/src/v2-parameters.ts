import { Buffer } from 'node:buffer';
import { escapedJson, isObject, type JsonObject } from '@annex/machinery';

// Go's order of the members: the names are hashes of the encoded text.
const order = ['uniqueItems', 'type', 'format', 'description', 'name', 'in', 'required', 'schema'];
const placeOf = (member: string): number => (order.indexOf(member) + order.length + 1) % (order.length + 1);

/** Parameters that old versions of kubectl require in the operations themselves. */
const inlineNames = new Set(['fieldValidation', 'dryRun']);

/**
 * The shared parameters of a document: kube-apiserver stores each one once, under a name with a hash of its
 * text. Source: `k8s.io/kube-openapi/pkg/builder/parameters.go`.
 */
export class SharedParameters {
  /** The shared parameters so far, by name. */
  readonly byName = new Map<string, JsonObject>();

  /** Converts a parameter of OpenAPI v3: returns a reference, or the parameter itself if it belongs to a single kind. Read-only. */
  convert(parameter: JsonObject): JsonObject {
    let known = conversions.get(parameter);
    if (known === undefined) conversions.set(parameter, (known = conversionOf(parameter)));
    const { converted, name, reference } = known;
    if (reference === undefined) return converted;
    if (!this.byName.has(name)) this.byName.set(name, converted);
    return reference;
  }

  /** The same for a parameter that is already in the form of v2. */
  refer(parameter: JsonObject): JsonObject {
    const { converted, name, reference } = referenceTo(parameter);
    if (reference === undefined) return parameter;
    if (!this.byName.has(name)) this.byName.set(name, converted);
    return reference;
  }
}

interface Conversion {
  converted: JsonObject;
  name: string;
  /** Undefined if the parameter belongs to a single kind. */
  reference: JsonObject | undefined;
}

/** The operations of all kinds share the objects of their common parameters: each of them is converted once. */
const conversions = new WeakMap<JsonObject, Conversion>();

function conversionOf({ schema, ...rest }: JsonObject): Conversion {
  return referenceTo(isObject(schema) ? { ...rest, ...schema } : rest);
}

function referenceTo(converted: JsonObject): Conversion {
  const isReferred = typeof converted.$ref !== 'string' && isShared(converted);
  if (!isReferred) return { converted, name: '', reference: undefined };
  const name = nameOf(converted);
  return { converted, name, reference: { $ref: `#/parameters/${name}` } };
}

/** The names by the text of the parameter. Only documents of Annex are converted: all kinds have the same few parameters. */
const names = new Map<string, string>();

function nameOf(parameter: JsonObject): string {
  const text = JSON.stringify(parameter);
  let name = names.get(text);
  if (name === undefined) {
    const members = Object.entries(parameter).sort(([a], [b]) => placeOf(a) - placeOf(b));
    name = `${String(parameter.name)}-${hashOf(escapedJson(Object.fromEntries(members)))}`;
    names.set(text, name);
  }
  return name;
}

function isShared({ name, in: place, schema }: JsonObject): boolean {
  if (place === 'body') {
    const $ref = isObject(schema) ? schema.$ref : undefined;
    return name !== 'body' || !isObject(schema) || String($ref ?? '').startsWith(machinery);
  }
  return name !== 'name' && !(place === 'query' && inlineNames.has(String(name)));
}

/** The names of the components whose parameters are shared begin with this. */
export const machineryComponents = 'io.k8s.apimachinery';
const machinery = `#/definitions/${machineryComponents}`;

/**
 * Computes FNV-1 with 64 bits in two halves, and returns its upper six bytes in base64. The prime is 2^40 +
 * 0x1b3.
 */
function hashOf(text: string): string {
  let high = 0xcbf29ce4;
  let low = 0x84222325;
  for (const byte of Buffer.from(text)) {
    const product = low * 0x1b3;
    high = (Math.imul(high, 0x1b3) + Math.floor(product / 2 ** 32) + (low << 8)) >>> 0;
    low = (product ^ byte) >>> 0;
  }
  const bytes = Buffer.alloc(8);
  bytes.writeUInt32BE(high, 0);
  bytes.writeUInt32BE(low, 4);
  return bytes.toString('base64url', 0, 6);
}
