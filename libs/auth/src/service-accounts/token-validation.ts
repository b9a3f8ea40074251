import type { KubeObject } from '@annex/machinery';
import type { BoundObjects, BoundResource } from './bound-objects.ts';
import type { ObjectReference, TokenClaims } from './token-claims.ts';
import { CredentialsError, type Remarks } from '../types.ts';

/** The allowed clock skew, and the time that a deleted object still counts: one minute, as in go-jose. */
const leeway = 60;

/** Throws {@link CredentialsError} if a token is not valid at this time (milliseconds since the epoch). */
export function requireValidTime(claims: TokenClaims, now: number): void {
  const at = now / 1000;
  const { expiresAt, notBefore, issuedAt } = claims;
  if (notBefore !== undefined && at + leeway < notBefore) {
    throw new CredentialsError('service account token is not valid yet');
  }
  if (expiresAt !== undefined && at - leeway > expiresAt) {
    throw new CredentialsError('service account token has expired');
  }
  if (issuedAt !== undefined && at + leeway < issuedAt) {
    throw new CredentialsError('service account token is issued in the future');
  }
}

/** Returns the remarks on a token that is still valid but past its requested expiration. */
export function staleRemarks({ subject, staleAt }: TokenClaims, now: number): Remarks | undefined {
  if (!staleAt || now / 1000 <= staleAt) return undefined;
  const since = Math.floor(now / 1000) - staleAt;
  const text = `subject: ${subject}, seconds after warning threshold: ${since}`;
  return { warnings: [], annotations: { 'authentication.k8s.io/stale-token': text } };
}

const invalidated = () => new CredentialsError('service account token has been invalidated');

interface Binding {
  resource: BoundResource;
  reference: ObjectReference;
  /** kube-apiserver's errors for a missing and for a deleted object. */
  missing: () => CredentialsError;
  deleted: () => CredentialsError;
  otherUid: (uid: string) => string;
}

function missingAccount(namespace: string, name: string): string {
  if (name === '') return 'resource name may not be empty';
  if (namespace === '') return 'the server could not find the requested resource';
  return `serviceaccounts "${name}" not found`;
}

function bindingsOf({ namespace, serviceAccount, secret, pod, node }: TokenClaims): Binding[] {
  const { name } = serviceAccount;
  const bound = (resource: BoundResource, kind: string, reference: ObjectReference): Binding => ({
    resource,
    reference,
    missing: invalidated,
    deleted: invalidated,
    otherUid: (uid) =>
      `${kind} UID (${uid}) does not match service account ${kind.toLowerCase()} ref claim (${reference.uid})`,
  });
  return [
    {
      resource: 'serviceaccounts',
      reference: serviceAccount,
      missing: () => new CredentialsError(missingAccount(namespace, name)),
      deleted: () => new CredentialsError(`service account ${namespace}/${name} has been deleted`),
      otherUid: (uid) => `service account UID (${uid}) does not match claim (${serviceAccount.uid})`,
    },
    ...(secret ? [bound('secrets', 'secret', secret)] : []),
    ...(pod ? [bound('pods', 'pod', pod)] : []),
    // The node of a pod is informational; a token bound to a node itself ends with it.
    ...(node && !pod ? [bound('nodes', 'node', node)] : []),
  ];
}

/**
 * Throws {@link CredentialsError} if an object that the token is bound to is deleted. Synchronous if lookups
 * are.
 */
export function requireBoundObjects(
  claims: TokenClaims,
  objects: BoundObjects,
  now: number,
): void | Promise<void> {
  const waiting: Promise<void>[] = [];
  for (const binding of bindingsOf(claims)) {
    const found = objects.get(binding.resource, claims.namespace, binding.reference.name);
    if (found instanceof Promise) waiting.push(found.then((object) => requireSame(binding, object, now)));
    else requireSame(binding, found, now);
  }
  if (waiting.length > 0) return Promise.all(waiting).then(() => {});
}

function requireSame(binding: Binding, object: KubeObject | undefined, now: number): void {
  if (object === undefined) throw binding.missing();
  const { uid = '', deletionTimestamp } = object.metadata;
  if (uid !== binding.reference.uid) throw new CredentialsError(binding.otherUid(uid));
  if (deletionTimestamp !== undefined && Date.parse(deletionTimestamp) < now - leeway * 1000)
    throw binding.deleted();
}
