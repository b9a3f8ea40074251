import type { KubeObject, OwnerReference } from '@annex/machinery';

/** The identity of an object: the members of an owner reference, and the namespace. */
export interface Identity {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** The metadata that garbage collection reads. */
export interface OwnershipMeta {
  name?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  deletionTimestamp?: string;
  finalizers?: string[];
  ownerReferences?: OwnerReference[];
}

/** Returns the part of an object that garbage collection reads. */
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

/** Returns the identity of the owner that a reference in that namespace names. */
export const referenced = ({ apiVersion, kind, name, uid }: OwnerReference, namespace: string): Identity => ({
  apiVersion,
  kind,
  namespace,
  name,
  uid,
});

/** Returns a text that is unique for the identity. */
export const identityKey = ({ apiVersion, kind, namespace, name, uid }: Identity): string =>
  JSON.stringify([kind, apiVersion, namespace, name, uid]);

export const sameIdentity = (a: Identity, b: Identity): boolean => identityKey(a) === identityKey(b);

/** True if a reference matches the identity of an object, without its namespace. */
export const saysSame = (reference: OwnerReference, identity: Identity): boolean =>
  reference.uid === identity.uid &&
  reference.name === identity.name &&
  reference.kind === identity.kind &&
  reference.apiVersion === identity.apiVersion;

/** Returns a text for the log. */
export const identityText = ({ apiVersion, kind, namespace, name, uid }: Identity): string =>
  `${apiVersion} ${kind} ${namespace === '' ? '' : `${namespace}/`}${name} (${uid})`;

export const foregroundFinalizer = 'foregroundDeletion';
export const orphanFinalizer = 'orphan';

export const isBeingDeleted = ({ deletionTimestamp }: OwnershipMeta): boolean =>
  deletionTimestamp !== undefined;

export const hasFinalizer = ({ finalizers = [] }: OwnershipMeta, name: string): boolean =>
  finalizers.includes(name);
