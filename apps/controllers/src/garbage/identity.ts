import type { KubeObject, OwnerReference } from '@annex/machinery';

/** Which object is meant: an owner reference says all but the namespace. */
export interface Identity {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** The metadata that ownership is about. */
export interface OwnershipMeta {
  name?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  deletionTimestamp?: string;
  finalizers?: string[];
  ownerReferences?: OwnerReference[];
}

/** The part of an object that is kept for ownership. */
export function ownershipMeta({ metadata }: KubeObject): KubeObject & { metadata: OwnershipMeta } {
  const { name, namespace, uid, resourceVersion, deletionTimestamp, finalizers, ownerReferences } = metadata;
  return {
    metadata: {
      ...(name === undefined ? {} : { name }),
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      ...(deletionTimestamp ? { deletionTimestamp } : {}),
      ...(finalizers?.length ? { finalizers } : {}),
      ...(ownerReferences?.length ? { ownerReferences } : {}),
    },
  };
}

/** The object that a reference in that namespace means. */
export const referenced = ({ apiVersion, kind, name, uid }: OwnerReference, namespace: string): Identity => ({
  apiVersion,
  kind,
  namespace,
  name,
  uid,
});

/** A text that only the same identity has. */
export const identityKey = ({ apiVersion, kind, namespace, name, uid }: Identity): string =>
  JSON.stringify([kind, apiVersion, namespace, name, uid]);

export const sameIdentity = (a: Identity, b: Identity): boolean => identityKey(a) === identityKey(b);

/** Whether a reference says of an object what it is; the namespace is not in the reference. */
export const saysSame = (reference: OwnerReference, identity: Identity): boolean =>
  reference.uid === identity.uid &&
  reference.name === identity.name &&
  reference.kind === identity.kind &&
  reference.apiVersion === identity.apiVersion;

/** For the log. */
export const identityText = ({ apiVersion, kind, namespace, name, uid }: Identity): string =>
  `${apiVersion} ${kind} ${namespace === '' ? '' : `${namespace}/`}${name} (${uid})`;

export const foregroundFinalizer = 'foregroundDeletion';
export const orphanFinalizer = 'orphan';

export const isBeingDeleted = ({ deletionTimestamp }: OwnershipMeta): boolean =>
  deletionTimestamp !== undefined;

export const hasFinalizer = ({ finalizers = [] }: OwnershipMeta, name: string): boolean =>
  finalizers.includes(name);
