import { Buffer } from 'node:buffer';
import {
  badRequest,
  getOwn,
  goJsonSyntaxError,
  isObject,
  type JsonValue,
  parseJson,
  setOwn,
} from '@annex/machinery';

/** The start of the next page of a list. Opaque to clients. */
export interface ContinueToken {
  /** The revision of the list; -1 for the newest, which makes the list inconsistent. */
  revision: number;
  /** The first key of the page. */
  startKey: string;
}

/**
 * Encodes the token in kube-apiserver's form: URL-safe base64 of JSON. Its key is relative to the prefix of
 * the list.
 */
export function encodeContinue(token: ContinueToken, prefix: string): string {
  const body = { v: 'meta.k8s.io/v1', rv: token.revision, start: token.startKey.slice(prefix.length) };
  return Buffer.from(JSON.stringify(body)).toString('base64url');
}

/** Decodes a token. Throws 400 with kube-apiserver's messages; a token never leads out of the prefix. */
export function decodeContinue(text: string, prefix: string): ContinueToken {
  try {
    return read(text, prefix);
  } catch (error) {
    throw badRequest(`invalid continue token: continue key is not valid${(error as Error).message}`);
  }
}

function read(text: string, prefix: string): ContinueToken {
  const { v, rv, start } = fieldsOf(parse(decodeBase64(text)));
  if (v !== 'meta.k8s.io/v1') throw new Error(`: server does not recognize this encoded version ${v}`);
  if (rv === 0) throw new Error(': incorrect encoded start resourceVersion (version meta.k8s.io/v1)');
  if (start === '') throw new Error(': encoded start key empty (version meta.k8s.io/v1)');
  const key = start.replace(/^\//, '');
  if (key.split('/').some((segment) => segment === '' || segment === '.' || segment === '..')) {
    throw new Error(`: ${start}`);
  }
  return { revision: rv < 0 ? -1 : rv, startKey: prefix + key };
}

/** Decodes base64 as strictly as Go: no padding, no other alphabet, no single character at the end. */
function decodeBase64(text: string): string {
  const bad = text.search(/[^\w-]/);
  const at = bad >= 0 ? bad : text.length % 4 === 1 ? text.length - 1 : -1;
  if (at >= 0) throw new Error(`: illegal base64 data at input byte ${Buffer.byteLength(text.slice(0, at))}`);
  // As bytes, because Go's JSON errors quote bytes.
  return Buffer.from(text, 'base64url').toString('latin1');
}

function parse(json: string): JsonValue {
  try {
    return parseJson(json);
  } catch (error) {
    const why = goJsonSyntaxError(json, (byte) => byte.charCodeAt(0)) ?? (error as Error).message;
    throw new Error(`: ${why}`, { cause: error });
  }
}

/** The fields of a token and their Go types. */
const goTypes = { v: 'string', rv: 'int64', start: 'string' } as const;

function fieldsOf(body: JsonValue): { v: string; rv: number; start: string } {
  const found: Record<string, JsonValue> = { v: '', rv: 0, start: '' };
  if (body !== null && !isObject(body)) {
    throw new Error(`: json: cannot unmarshal ${goKind(body)} into Go value of type storage.continueToken`);
  }
  for (const [field, type] of Object.entries(goTypes)) {
    const value = getOwn(body ?? undefined, field) ?? null;
    if (value === null) continue;
    const fits = type === 'string' ? typeof value === 'string' : Number.isSafeInteger(value);
    if (!fits) {
      throw new Error(
        `: json: cannot unmarshal ${goKind(value, type)} into Go struct field continueToken.${field} of type ${type}`,
      );
    }
    setOwn(found, field, value);
  }
  return found as { v: string; rv: number; start: string };
}

function goKind(value: JsonValue, goType = ''): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value !== 'number' && typeof value !== 'bigint') return typeof value;
  return goType === 'int64' ? `number ${value}` : 'number';
}
