import { getOwn, goQuote, isObject, type JsonObject, type JsonValue } from '@annex/machinery';
import { goJsonType } from '../go-json-type.ts';

/** The claims of a token with a registered type. Times are in seconds since the epoch. */
export interface IdToken {
  issuer: string;
  audiences: string[];
  expiresAt: number | undefined;
  notBefore: number | undefined;
}

/** The type of a claim. */
interface ClaimType {
  /** The Go name of the type. */
  type: string;
  /** Throws Go's message for a value of another type. */
  check(value: JsonValue, field: string): void;
}

const text: ClaimType = { type: 'string', check: checkText };
const time: ClaimType = { type: 'json.Number', check: checkTime };
const audience: ClaimType = { type: '[]string', check: checkAudience };
const claimNames = mapOf('map[string]string', text);
const claimSources = mapOf('map[string]oidc.claimSource', { type: 'oidc.claimSource', check: checkSource });

const claimTypes: Readonly<Record<string, ClaimType>> = {
  iss: text,
  sub: text,
  aud: audience,
  exp: time,
  iat: time,
  nbf: time,
  nonce: text,
  at_hash: text,
  _claim_names: claimNames,
  _claim_sources: claimSources,
};

/** Reads the registered claims. Throws go-oidc's message if one has another type. */
export function readIdToken(claims: JsonObject): IdToken {
  const read = new Map<string, JsonValue>();
  for (const [name, value] of Object.entries(claims)) {
    const field = fieldOf(name);
    const type = field === undefined ? undefined : getOwn(claimTypes, field);
    if (field === undefined || type === undefined) continue;
    // null is valid for most types, and leaves the previous value.
    if (value !== null || field === 'exp' || field === 'iat') type.check(value, `idToken.${field}`);
    if (value !== null || field === 'aud') read.set(field, value);
  }
  requireSources(read);
  const issuer = read.get('iss');
  return {
    issuer: typeof issuer === 'string' ? issuer : '',
    audiences: audiencesOf(read.get('aud')),
    expiresAt: secondsOf(read.get('exp')),
    notBefore: secondsOf(read.get('nbf')),
  };
}

/** Go matches the claims of its types case-insensitively. */
const fieldOf = (name: string): string | undefined =>
  Object.hasOwn(claimTypes, name)
    ? name
    : Object.hasOwn(claimTypes, name.toLowerCase())
      ? name.toLowerCase()
      : undefined;

/** Returns the value of a claim, case-insensitively; the last one, if there are several. */
export const claimInAnyCase = (claims: JsonObject, name: string): JsonValue | undefined =>
  Object.entries(claims).findLast(([other]) => other.toLowerCase() === name)?.[1];

function requireSources(read: ReadonlyMap<string, JsonValue>): void {
  const names = read.get('_claim_names');
  const sources = read.get('_claim_sources');
  for (const source of isObject(names) ? Object.values(names) : []) {
    if (source === '' || source === null) throw new Error('oidc: failed to obtain source from claim name');
    if (!isObject(sources) || !Object.hasOwn(sources, source as string))
      throw new Error('oidc: source does not exist');
  }
}

function checkText(value: JsonValue, field: string): void {
  if (typeof value !== 'string') throw mistyped(value, field, 'string');
}

function checkTime(value: JsonValue, field: string): void {
  if (value === null) throw unread('strconv.ParseFloat: parsing "": invalid syntax');
  if (typeof value === 'number' || typeof value === 'bigint') return;
  if (typeof value !== 'string') throw mistyped(value, field, 'json.Number');
  if (numberText.test(value)) return;
  const literal = goQuote(JSON.stringify(value));
  throw unread(`json: invalid number literal, trying to unmarshal ${literal} into Number`);
}

const numberText = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

function checkAudience(value: JsonValue, field: string): void {
  if (typeof value === 'string') return;
  if (!Array.isArray(value)) throw mistyped(value, field, '[]string');
  for (const item of value) if (item !== null) checkText(item, field);
}

function checkSource(value: JsonValue, field: string): void {
  if (!isObject(value)) throw mistyped(value, field, 'oidc.claimSource');
  for (const name of ['endpoint', 'access_token']) {
    const inner = Object.hasOwn(value, name) ? (value[name] ?? '') : '';
    checkText(inner, `claimSource._claim_sources.${name}`);
  }
}

function mapOf(type: string, item: ClaimType): ClaimType {
  return {
    type,
    check(value, field) {
      if (!isObject(value)) throw mistyped(value, field, type);
      for (const one of Object.values(value)) if (one !== null) item.check(one, field);
    },
  };
}

const mistyped = (value: JsonValue, field: string, type: string): Error =>
  unread(`json: cannot unmarshal ${goJsonType(value)} into Go struct field ${field} of type ${type}`);

const unread = (why: string): Error => new Error(`oidc: failed to unmarshal claims: ${why}`);

function audiencesOf(value: JsonValue | undefined): string[] {
  if (value === undefined) return [];
  return (Array.isArray(value) ? value : [value]).map((one) => (one ?? '') as string);
}

function secondsOf(value: JsonValue | undefined): number | undefined {
  return value === undefined ? undefined : Math.trunc(Number(value));
}
