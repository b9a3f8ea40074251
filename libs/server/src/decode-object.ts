import type { Buffer } from 'node:buffer';
import {
  type JsonObject,
  type JsonValue,
  type KubeObject,
  badRequest,
  decodeYaml,
  exceedsDepth,
  findDuplicateFields,
  fieldErrors,
  groupVersion,
  invalid,
  isObject,
  parseJson,
  parseGroupVersion,
} from '@annex/machinery';
import type { ObjectSchema } from '@annex/schema';
import { unknownFormat } from './body.ts';
import { isRecordedKind } from './builtin/data.ts';
import { coerceMeta, metaError, tidyMeta } from './coerce-meta.ts';

/** What a body is expected to be. */
export interface Expected {
  group: string;
  version: string;
  kind: string;
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
  checkType(value, expected, body);
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

function checkType(value: JsonObject, expected: Expected, body: Buffer): void {
  if (expected.custom) checkCustomType(value, expected, body);
  else checkBuiltinType(value, expected);
}

function checkCustomType(value: JsonObject, expected: Expected, body: Buffer): void {
  if (typeof value.kind !== 'string' || value.kind === '') {
    const text = body.toString();
    throw badRequest(
      `the object provided is unrecognized (must be of type ${expected.kind}): Object 'Kind' is missing in '${text}' (${summary(text)})`,
    );
  }
  const apiVersion = value.apiVersion ?? '';
  if (apiVersion !== groupVersion(expected)) {
    throw wrongVersion(String(apiVersion), expected);
  }
  if (value.kind !== expected.kind) throw wrongKind(value, expected);
}

const wrongVersion = (apiVersion: string, expected: Expected) =>
  badRequest(
    `the API version in the data (${apiVersion}) does not match the expected API version (${groupVersion(expected)})`,
  );

/** kube's answer to a custom resource of another kind: Invalid, under the name it calls itself. */
export function wrongKind(value: JsonObject, expected: Expected): Error {
  const name = isObject(value.metadata) && typeof value.metadata.name === 'string' ? value.metadata.name : '';
  return invalid({ group: expected.group, kind: String(value.kind) }, name, [
    fieldErrors.invalid('kind', value.kind, `must be ${expected.kind}`),
  ]);
}

// kube's words name a place in its own sources; clients and recordings know the text so.
const notRegistered = (kind: string, apiVersion: string) =>
  `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`;

function checkBuiltinType(value: JsonObject, expected: Expected): void {
  const kind = typeof value.kind === 'string' && value.kind !== '' ? value.kind : expected.kind;
  const apiVersion =
    typeof value.apiVersion === 'string' && value.apiVersion !== ''
      ? value.apiVersion
      : groupVersion(expected);
  const { group, version } = parseGroupVersion(apiVersion);
  if (group === expected.group && version !== expected.version) throw wrongVersion(apiVersion, expected);
  if (group !== expected.group || (kind !== expected.kind && !isRecordedKind(group, version, kind))) {
    throw badRequest(
      `${kind} in version ${JSON.stringify(version)} cannot be handled as a ${expected.kind}: ${notRegistered(kind, apiVersion)}`,
    );
  }
  if (kind !== expected.kind) {
    const target = expected.group === '' ? 'core' : (expected.group.split('.')[0] as string);
    throw badRequest(
      `${kind} in version ${JSON.stringify(expected.version)} cannot be handled as a ${expected.kind}: ` +
        `converting (${version}.${kind}) to (${target}.${expected.kind}): unknown conversion`,
    );
  }
  value.kind = expected.kind;
  value.apiVersion = groupVersion(expected);
}
