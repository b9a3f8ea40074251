import { isObject, type JsonObject, type JsonValue, jsonParse } from '@annex/machinery';
import { CredentialsError } from '../types.ts';

/** An object that a token names. */
export interface ObjectReference {
  name: string;
  uid: string;
}

/** The claims of a service-account token, including those of `kubernetes.io`. */
export interface TokenClaims {
  issuer: string;
  subject: string;
  audiences: string[];
  /** Seconds since the epoch. */
  expiresAt: number | undefined;
  notBefore: number | undefined;
  issuedAt: number | undefined;
  id: string | undefined;
  /** When the token becomes stale, before it expires. */
  staleAt?: number | undefined;
  namespace: string;
  serviceAccount: ObjectReference;
  pod: ObjectReference | undefined;
  secret: ObjectReference | undefined;
  node: ObjectReference | undefined;
}

/** The shape of a claim: the Go name of an object's type, and its fields. */
export type ClaimShape =
  | 'string'
  | 'audience'
  | 'date'
  | { readonly type: string; readonly fields: Readonly<Record<string, ClaimShape>> };

const reference: ClaimShape = { type: 'serviceaccount.ref', fields: { name: 'string', uid: 'string' } };

/** The claims that RFC 7519 registers. */
export const registeredClaims: ClaimShape = {
  type: 'jwt.Claims',
  fields: {
    iss: 'string',
    sub: 'string',
    aud: 'audience',
    exp: 'date',
    nbf: 'date',
    iat: 'date',
    jti: 'string',
  },
};

const ownClaims: ClaimShape = {
  type: 'serviceaccount.privateClaims',
  fields: {
    'kubernetes.io': {
      type: 'serviceaccount.kubernetes',
      fields: {
        namespace: 'string',
        serviceaccount: reference,
        pod: reference,
        secret: reference,
        node: reference,
        warnafter: 'date',
      },
    },
  },
};

/** Reads the claims of a token's payload. Throws {@link CredentialsError} if they have other types. */
export function tokenClaims(payload: JsonValue): TokenClaims {
  requireShape(payload, registeredClaims);
  requireShape(payload, ownClaims);
  const claims = objectOf(payload);
  const own = objectOf(claims['kubernetes.io']);
  return {
    ...registered(claims),
    namespace: text(own.namespace),
    serviceAccount: referenceOf(own.serviceaccount) ?? { name: '', uid: '' },
    pod: referenceOf(own.pod),
    secret: referenceOf(own.secret),
    node: referenceOf(own.node),
    staleAt: seconds(own.warnafter),
  };
}

/** Reads the registered claims, whose types were checked before. */
export const registered = ({ iss, sub, aud, exp, nbf, iat, jti }: JsonObject) => ({
  issuer: text(iss),
  subject: text(sub),
  audiences: audiencesOf(aud),
  expiresAt: seconds(exp),
  notBefore: seconds(nbf),
  issuedAt: seconds(iat),
  id: text(jti) || undefined,
});

/** Throws {@link CredentialsError} with go-jose's message if a value does not have that shape. */
export function requireShape(value: JsonValue, shape: ClaimShape): void {
  const error = mistyped(value, shape);
  if (error !== undefined) throw new CredentialsError(error);
}

/**
 * Dates and audiences are decoded separately and fail immediately; other types fail after the rest was read.
 */
function mistyped(value: JsonValue | undefined, shape: ClaimShape): string | undefined {
  if (value == null) return undefined;
  if (shape === 'audience' || shape === 'date') {
    if (!fits(value, shape)) throw new CredentialsError(errors[shape]);
    return undefined;
  }
  if (shape === 'string') return typeof value === 'string' ? undefined : unread(value, 'string');
  if (!isObject(value)) return unread(value, shape.type);
  let first: string | undefined;
  for (const [name, field] of Object.entries(value)) {
    const inner = Object.hasOwn(shape.fields, name) ? shape.fields[name] : undefined;
    if (inner === undefined) continue;
    const error = mistyped(field, inner);
    first ??= error;
  }
  return first;
}

const errors = {
  audience: 'go-jose/go-jose/jwt: expected string or array value to unmarshal to Audience',
  date: 'go-jose/go-jose/jwt: expected number value to unmarshal NumericDate',
};

function fits(value: JsonValue, shape: 'audience' | 'date'): boolean {
  if (shape === 'date') return typeof value === 'number';
  return (Array.isArray(value) ? value : [value]).every((one) => typeof one === 'string');
}

function unread(value: JsonValue, type: string): string {
  const found = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
  return `json: cannot unmarshal ${found} into Go value of type ${type}`;
}

const objectOf = (value: JsonValue | undefined): JsonObject => (isObject(value) ? value : {});
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const seconds = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

function audiencesOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.filter((v): v is string => typeof v === 'string') : [];
}

function referenceOf(value: JsonValue | undefined): ObjectReference | undefined {
  return isObject(value) ? { name: text(value.name), uid: text(value.uid) } : undefined;
}

/** Returns the `iss` of a token whose signature is not verified yet; `undefined` if it is not a JWT. */
export function unverifiedIssuer(token: string): string | undefined {
  const issuer = unverifiedPayload(token)?.iss;
  return typeof issuer === 'string' ? issuer : undefined;
}

/** Returns an ID for logs and audit events instead of the token; empty if the text is not a token. */
export function credentialIdOf(token: string): string {
  const id = text(unverifiedPayload(token)?.jti);
  return id === '' ? '' : `JTI=${id}`;
}

function unverifiedPayload(token: string): JsonObject | undefined {
  const parts = token.split('.');
  if (parts.length !== 3) return undefined;
  try {
    const payload = jsonParse(Buffer.from(parts[1] as string, 'base64url').toString('utf8')) as JsonValue;
    return isObject(payload) ? payload : undefined;
  } catch {
    return undefined;
  }
}
