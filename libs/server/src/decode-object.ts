import type { Buffer } from 'node:buffer';
import {
  type JsonObject,
  type JsonValue,
  type KubeObject,
  badRequest,
  decodeYaml,
  exceedsDepth,
  findDuplicateFields,
  groupVersion,
  isObject,
  parseJson,
} from '@annex/machinery';
import type { ObjectSchema } from '@annex/schema';
import { unknownFormat } from './body.ts';
import { coerceMeta, metaError, tidyMeta } from './coerce-meta.ts';
import { checkBuiltinType, type ExpectedType, notRegistered, requireCustomType } from './object-type.ts';

/** What a body is expected to be. */
export interface Expected extends ExpectedType {
  /** Custom resources must name their type; built-in kinds may leave it to the URL. */
  custom: boolean;
  schema: ObjectSchema;
}

export interface Decoded {
  object: KubeObject;
  /** Duplicate and unknown fields in kube's words, in the order kube reports them. */
  strict: string[];
}

const protobufType = 'application/vnd.kubernetes.protobuf';
const objectTypes = ['application/json', 'application/yaml', protobufType];

/** Parses a body in one of the three encodings. Throws 400 and 415. */
export async function parseBody(
  body: Buffer,
  type: string,
): Promise<{ value: JsonValue; duplicates: string[] }> {
  switch (type) {
    case '':
    case 'application/json':
      return parseJsonBody(body.toString());
    case 'application/yaml':
      return await parseYamlBody(body.toString());
    case protobufType: {
      const { decodeProtobuf } = await import('./protobuf/protobuf.ts');
      return { value: decodeProtobuf(body) as unknown as JsonValue, duplicates: [] };
    }
    default:
      throw unknownFormat(objectTypes);
  }
}

function parseJsonBody(text: string): { value: JsonValue; duplicates: string[] } {
  // YAML sent as JSON is read as YAML by kube; only what starts like JSON is taken for it.
  try {
    if (exceedsDepth(text)) throw new SyntaxError('exceeded max depth');
    const value = parseJson(text);
    return { value, duplicates: findDuplicateFields(text, value) };
  } catch (error) {
    throw undecodable(text, error);
  }
}

async function parseYamlBody(text: string): Promise<{ value: JsonValue; duplicates: string[] }> {
  try {
    const { value, duplicates } = await decodeYaml(text);
    return { value, duplicates };
  } catch (error) {
    throw undecodable(text, error);
  }
}

const undecodable = (text: string, error: unknown) =>
  badRequest(
    `couldn't get version/kind; json parse error: ${error instanceof Error ? error.message : String(error)} (${summary(text)})`,
  );

const summary = (text: string): string => (text.length > 30 ? `${text.slice(0, 30)} ...` : text);

/**
 * Decodes a whole object: parsed, checked against the type that the URL means, pruned by its schema. Throws 400, 415
 * and 422 with kube's texts.
 */
export async function decodeObject(body: Buffer, type: string, expected: Expected): Promise<Decoded> {
  if (type === protobufType) return await decodeProtobufObject(body, expected);
  const { value, duplicates } = await parseBody(body, type);
  if (!isObject(value)) throw undecodable(body.toString(), new Error('the body is not an object'));
  if (expected.custom) {
    requireKind(value, expected, body);
    requireCustomType(value, expected);
  } else {
    checkBuiltinType(value, expected);
  }
  return coerce(value, expected, duplicates);
}

/** An object of a built-in kind; the type that its envelope does not name is the one that the URL means. */
async function decodeProtobufObject(body: Buffer, expected: Expected): Promise<Decoded> {
  const { decodeEnvelope, readEnvelope } = await import('./protobuf/protobuf.ts');
  const { raw, ...type } = inWords(
    () => readEnvelope(body),
    (why) => unrecognized(expected, why, body),
  );
  checkBuiltinType(type, expected);
  const apiVersion = groupVersion(expected);
  const object = inWords(
    () => decodeEnvelope({ apiVersion, kind: expected.kind, raw }),
    (why) => cannotHandle(expected, why),
  );
  if (object === undefined) throw cannotHandle(expected, notRegistered(expected.kind, apiVersion));
  return coerce(object as unknown as JsonObject, expected);
}

/** Runs a reader; why it fails becomes an answer. */
function inWords<T>(read: () => T, answer: (why: string) => Error): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof SyntaxError ? answer(error.message) : error;
  }
}

const unrecognized = (expected: Expected, why: string, body: Buffer) =>
  badRequest(
    `the object provided is unrecognized (must be of type ${expected.kind}): ${why} (${hexSummary(body)})`,
  );

function hexSummary(body: Buffer): string {
  if (body.length === 0) return '<empty>';
  if (body[0] === 0x7b) return summary(body.toString());
  return body.toString('hex', 0, 30) + (body.length > 30 ? ' ...' : '');
}

/** Makes an object of this kind of parsed JSON: metadata coerced, unknown fields removed and named. */
export function coerce(value: JsonObject, expected: Expected, duplicates: readonly string[] = []): Decoded {
  const wrongType = (expected.custom ? metaError(value) : undefined) ?? expected.schema.decodeError?.(value);
  if (wrongType !== undefined) throw cannotHandle(expected, wrongType);
  const strict = [...duplicates];
  const unknown = [...(expected.custom ? coerceMeta(value) : []), ...expected.schema.prune(value)];
  strict.push(...unknown.map((path) => `unknown field "${path}"`));
  value.metadata ??= {};
  tidyMeta(value.metadata);
  return { object: value as unknown as KubeObject, strict };
}

const cannotHandle = (expected: Expected, why: string) =>
  badRequest(
    `${expected.kind} in version ${JSON.stringify(expected.version)} cannot be handled as a ${expected.kind}: ${why}`,
  );

function requireKind(value: JsonObject, expected: Expected, body: Buffer): void {
  if (typeof value.kind === 'string' && value.kind !== '') return;
  const text = body.toString();
  throw badRequest(
    `the object provided is unrecognized (must be of type ${expected.kind}): Object 'Kind' is missing in '${text}' (${summary(text)})`,
  );
}
