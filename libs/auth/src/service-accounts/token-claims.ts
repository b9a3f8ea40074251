import { isObject, type JsonObject, type JsonValue } from '@annex/machinery';

/** An object that a token names. */
export interface ObjectReference {
  name: string;
  uid: string;
}

/** The claims of a service-account token, with those of `kubernetes.io`. */
export interface TokenClaims {
  issuer: string;
  subject: string;
  audiences: string[];
  /** Seconds since the epoch. */
  expiresAt: number | undefined;
  notBefore: number | undefined;
  issuedAt: number | undefined;
  id: string | undefined;
  namespace: string;
  serviceAccount: ObjectReference;
  pod: ObjectReference | undefined;
  secret: ObjectReference | undefined;
  node: ObjectReference | undefined;
}

/** Reads the claims of a token's payload; `undefined` where it is not that of a service account. */
export function tokenClaims(payload: unknown): TokenClaims | undefined {
  if (!isObject(payload)) return undefined;
  const own = payload['kubernetes.io'];
  if (!isObject(own)) return undefined;
  const serviceAccount = reference(own.serviceaccount);
  if (serviceAccount === undefined || typeof payload.iss !== 'string') return undefined;
  return {
    issuer: payload.iss,
    subject: text(payload.sub) ?? '',
    audiences: audiencesOf(payload.aud),
    expiresAt: seconds(payload.exp),
    notBefore: seconds(payload.nbf),
    issuedAt: seconds(payload.iat),
    id: text(payload.jti),
    namespace: text(own.namespace) ?? '',
    serviceAccount,
    pod: reference(own.pod),
    secret: reference(own.secret),
    node: reference(own.node),
  };
}

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
const seconds = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

function audiencesOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.filter((v): v is string => typeof v === 'string') : [];
}

function reference(value: unknown): ObjectReference | undefined {
  if (!isObject(value)) return undefined;
  return { name: text(value.name) ?? '', uid: text(value.uid) ?? '' };
}

/** The `iss` of a token whose signature nobody checked yet; `undefined` where it is no JWT. */
export const unverifiedIssuer = (token: string): string | undefined => text(unverifiedPayload(token)?.iss);

/** How a token is named where the token itself must not stand; empty for what is no token. */
export function credentialIdOf(token: string): string {
  const id = text(unverifiedPayload(token)?.jti);
  return id === undefined ? '' : `JTI=${id}`;
}

function unverifiedPayload(token: string): JsonObject | undefined {
  const parts = token.split('.');
  if (parts.length !== 3) return undefined;
  try {
    const payload = JSON.parse(Buffer.from(parts[1] as string, 'base64url').toString('utf8')) as JsonValue;
    return isObject(payload) ? payload : undefined;
  } catch {
    return undefined;
  }
}
