import {
  type FieldError,
  fieldErrors,
  fieldImmutable,
  FieldPath,
  getOwn,
  goJsonSyntaxErrorInPasses,
  isObject,
  type JsonObject,
  jsonTypeName,
  type JsonValue,
  type KubeObject,
  type Passes,
} from '@annex/machinery';
import type { Validation } from '../../builtin-kind.ts';
import { dataSize, immutableErrors, keyErrors, keysOf, maxDataBytes } from '../shared/data.ts';

const accountName = 'kubernetes.io/service-account.name';

interface TypeRule {
  /** Required keys. */
  required?: readonly string[];
  /** Keys of which at least one is required. */
  oneOf?: readonly string[];
  /** A required key that must not be empty. */
  filled?: string;
  /** A required key with a JSON object. */
  json?: string;
}

const typeRules: Readonly<Record<string, TypeRule>> = {
  'kubernetes.io/dockercfg': { json: '.dockercfg' },
  'kubernetes.io/dockerconfigjson': { json: '.dockerconfigjson' },
  'kubernetes.io/basic-auth': { oneOf: ['username', 'password'] },
  'kubernetes.io/ssh-auth': { filled: 'ssh-privatekey' },
  'kubernetes.io/tls': { required: ['tls.crt', 'tls.key'] },
};

const path = FieldPath.of('data');
const required = (key: string) => fieldErrors.required(path.key(key));

function* typeErrors(secret: KubeObject): Passes<FieldError[]> {
  const data = (isObject(secret.data) ? secret.data : {}) as JsonObject;
  const type = String(secret.type);
  if (type === 'kubernetes.io/service-account-token') {
    const named = (secret.metadata.annotations?.[accountName] ?? '') !== '';
    return named ? [] : [fieldErrors.required(FieldPath.of('metadata', 'annotations').key(accountName))];
  }
  const rule = Object.hasOwn(typeRules, type) ? typeRules[type] : undefined;
  if (rule === undefined) return [];
  const has = (key: string) => Object.hasOwn(data, key);
  const errors = (rule.required ?? []).filter((key) => !has(key)).map(required);
  if (rule.oneOf && !rule.oneOf.some(has)) errors.push(...rule.oneOf.map(required));
  if (rule.filled && !getOwn(data, rule.filled)) errors.push(required(rule.filled));
  if (rule.json) errors.push(...(yield* jsonErrors(rule.json, getOwn(data, rule.json))));
  return errors;
}

function* jsonErrors(key: string, value: unknown): Passes<FieldError[]> {
  if (typeof value !== 'string') return [required(key)];
  const text = Buffer.from(value, 'base64').toString();
  const why = (yield* goJsonSyntaxErrorInPasses(text)) ?? notAMap(text);
  return why === undefined ? [] : [redacted(key, why)];
}

/** A value of each type, by the first character of its text. The others are numbers. */
const examples: ReadonlyMap<string, JsonValue> = new Map<string, JsonValue>([
  ['{', {}],
  ['[', []],
  ['"', ''],
  ['t', true],
  ['f', false],
  ['n', null],
]);

/** Returns Go's error for a JSON text that is not decoded into a map. It decodes null into any type. */
function notAMap(text: string): string | undefined {
  const example = examples.get(text.trimStart().charAt(0));
  if (example === null || isObject(example)) return undefined;
  return `json: cannot unmarshal ${jsonTypeName(example ?? 0)} into Go value of type map[string]interface {}`;
}

const redacted = (key: string, why: string) =>
  fieldErrors.invalid(path.key(key), '<secret contents redacted>', why);

function* contentErrors(secret: KubeObject): Passes<FieldError[]> {
  const keys = yield* keysOf(secret.data);
  const errors = yield* keyErrors(keys, path);
  if ((yield* dataSize(secret.data, keys, 'base64')) > maxDataBytes)
    errors.push(fieldErrors.tooLong(path, '', maxDataBytes));
  return [...errors, ...(yield* typeErrors(secret))];
}

/** Checks the keys of a Secret, its size, `immutable`, and the requirements of each well-known type. */
export const secretValidation: Validation = {
  *content(secret, old) {
    const isSame = old === undefined || secret.type === old.type;
    const changes = yield* immutableErrors(secret, old, ['data']);
    return [
      ...(isSame ? [] : [fieldErrors.invalid('type', secret.type, fieldImmutable)]),
      ...changes,
      ...(yield* contentErrors(secret)),
    ];
  },
};
