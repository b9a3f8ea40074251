import {
  badRequest,
  conflict,
  fieldErrors,
  type FieldError,
  formatTime,
  invalid,
  isObject,
  type KubeObject,
  notFound,
  parseGroupVersion,
} from '@annex/machinery';
import type { BoundResource } from './bound-objects.ts';
import type { TokenContent, TokenIssuer } from './token-issuer.ts';

const requestKind = { group: 'authentication.k8s.io', kind: 'TokenRequest' };
const defaultExpiration = 3600;
/** The expiration that kubelets request; such tokens live longer and only become stale at that time. */
const warnOnlyExpiration = 60 * 60 + 7;
const extendedExpiration = 365 * 24 * 60 * 60;

/**
 * Handles a TokenRequest for a service account: validates it, issues the token, and returns the request with
 * its status. `now` is in milliseconds, `warn` receives texts for Warning headers. Throws StatusError.
 */
export async function requestToken(
  request: KubeObject,
  serviceAccount: KubeObject,
  issuer: TokenIssuer,
  now: number,
  warn: (text: string) => void = () => {},
): Promise<KubeObject> {
  const metadata = requestMetadata(request, serviceAccount, now);
  const spec = tokenSpec(request, issuer);
  const bound =
    spec.boundObjectRef === null ? {} : await boundObject(spec.boundObjectRef, serviceAccount, issuer);
  const { maxExpirationSeconds = 0 } = issuer;
  if (maxExpirationSeconds > 0 && spec.expirationSeconds > maxExpirationSeconds) {
    warn(
      `requested expiration of ${spec.expirationSeconds} seconds shortened to ${maxExpirationSeconds} seconds`,
    );
    spec.expirationSeconds = maxExpirationSeconds;
  }
  const token = await issuer.issueToken({
    serviceAccount,
    audiences: spec.audiences,
    issuedAt: Math.floor(now / 1000),
    ...lifetime(spec, bound, issuer),
    ...bound,
  });
  const expirationTimestamp = formatTime(now + spec.expirationSeconds * 1000);
  return {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    metadata,
    spec,
    status: { token, expirationTimestamp },
  };
}

/** Refuses a TokenRequest that names another service account than its path. Throws StatusError. */
export function checkTokenRequest(
  { metadata: sent = {} }: KubeObject,
  of: { name: string; namespace: string },
): void {
  for (const field of ['name', 'namespace'] as const) {
    const value = sent[field];
    if (!value || value === of[field]) continue;
    const text = `must match the service account ${field} if specified`;
    throw invalid(requestKind, of.name, [fieldErrors.invalid(`metadata.${field}`, value, text)]);
  }
}

/** Sets the default expiration of a TokenRequest. */
export function setTokenRequestDefaults(request: KubeObject): void {
  request.spec ??= {};
  if (isObject(request.spec)) request.spec.expirationSeconds ??= defaultExpiration;
}

interface TokenSpec {
  audiences: readonly string[];
  expirationSeconds: number;
  boundObjectRef: BoundReference | null;
}

interface BoundReference {
  kind?: string;
  apiVersion?: string;
  name?: string;
  uid?: string;
}

type Bound = Pick<TokenContent, 'pod' | 'secret' | 'node'>;

function requestMetadata(
  request: KubeObject,
  serviceAccount: KubeObject,
  now: number,
): KubeObject['metadata'] {
  const { name = '', namespace, uid = '' } = serviceAccount.metadata;
  const sent = request.metadata ?? {};
  if (sent.uid && sent.uid !== uid) {
    const why = `the UID in the token request (${sent.uid}) does not match the UID of the service account (${uid})`;
    throw conflict({ group: requestKind.group, resource: requestKind.kind }, name, why);
  }
  return { ...sent, name, namespace, uid, creationTimestamp: formatTime(now) } as KubeObject['metadata'];
}

/** Throws 422 for an expiration that is too short or too long. */
function tokenSpec(request: KubeObject, issuer: TokenIssuer): TokenSpec {
  const sent = isObject(request.spec) ? request.spec : {};
  const audiences = (sent.audiences as string[] | null | undefined) ?? [];
  const expiration = (sent.expirationSeconds as number | bigint | null | undefined) ?? defaultExpiration;
  const errors = validateExpiration(expiration);
  if (errors.length > 0) throw invalid(requestKind, '', errors);
  return {
    audiences: audiences.length === 0 ? issuer.audiences : audiences,
    expirationSeconds: Number(expiration),
    boundObjectRef: (sent.boundObjectRef as BoundReference | null | undefined) ?? null,
  };
}

function validateExpiration(seconds: number | bigint): FieldError[] {
  const at = 'spec.expirationSeconds';
  if (seconds < 600)
    return [fieldErrors.invalid(at, seconds, 'may not specify a duration less than 10 minutes')];
  if (seconds > 2 ** 32) {
    return [fieldErrors.invalid(at, seconds, 'may not specify a duration larger than 2^32 seconds')];
  }
  return [];
}

const bindable: Readonly<Record<string, { resource: BoundResource; as: keyof Bound }>> = {
  Pod: { resource: 'pods', as: 'pod' },
  Secret: { resource: 'secrets', as: 'secret' },
  Node: { resource: 'nodes', as: 'node' },
};

/** A malformed group version counts as empty, as in kube-apiserver. */
const groupVersionOf = (apiVersion: string) =>
  parseGroupVersion(apiVersion.split('/').length > 2 ? '' : apiVersion);

async function boundObject(ref: BoundReference, account: KubeObject, issuer: TokenIssuer): Promise<Bound> {
  const { kind = '', apiVersion = '', name = '' } = ref;
  const { group, version } = groupVersionOf(apiVersion);
  const target = group === '' && Object.hasOwn(bindable, kind) ? bindable[kind] : undefined;
  if (target === undefined) {
    throw badRequest(`cannot bind token to object of type ${group}/${version}, Kind=${kind}`);
  }
  if (name === '') throw badRequest('Name parameter required.');
  const namespace = account.metadata.namespace ?? '';
  const object = await issuer.objects.get(target.resource, namespace, name);
  if (object === undefined) throw notFound({ group: '', resource: target.resource }, name);
  const bound: Bound = { [target.as]: object };
  if (target.as === 'pod') Object.assign(bound, await nodeOfPod(object, account, issuer));
  if (ref.uid && ref.uid !== object.metadata.uid) {
    const why = `the UID in the bound object reference (${ref.uid}) does not match the UID in record. The object might have been deleted and then recreated`;
    throw conflict({ group, resource: kind }, name, why);
  }
  return bound;
}

async function nodeOfPod(pod: KubeObject, account: KubeObject, issuer: TokenIssuer): Promise<Bound> {
  const spec = isObject(pod.spec) ? pod.spec : {};
  const { name = '' } = account.metadata;
  if (spec.serviceAccountName !== name) {
    throw badRequest(
      `cannot bind token for serviceaccount "${name}" to pod running with different serviceaccount name.`,
    );
  }
  const nodeName = spec.nodeName;
  if (typeof nodeName !== 'string' || nodeName === '') return {};
  // A missing node is named without a uid.
  return { node: (await issuer.objects.get('nodes', '', nodeName)) ?? { metadata: { name: nodeName } } };
}

function lifetime(
  { expirationSeconds, audiences }: TokenSpec,
  bound: Bound,
  issuer: TokenIssuer,
): Pick<TokenContent, 'expirationSeconds' | 'warnAfterSeconds'> {
  const extend =
    issuer.extendExpiration !== false &&
    bound.pod !== undefined &&
    expirationSeconds === warnOnlyExpiration &&
    audiences.every((audience) => issuer.audiences.includes(audience));
  if (!extend) return { expirationSeconds };
  return { expirationSeconds: extendedExpiration, warnAfterSeconds: expirationSeconds };
}
