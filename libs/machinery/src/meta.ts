/** The names of a kind within an API version. Core kinds have the empty group. */
export interface GroupVersionKind {
  group: string;
  version: string;
  kind: string;
}

/** The names of a resource within an API version. */
export interface GroupVersionResource {
  group: string;
  version: string;
  resource: string;
}

/** A resource without its version. */
export interface GroupResource {
  group: string;
  resource: string;
}

/** `metadata.ownerReferences[]`. */
export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

/** `metadata.managedFields[]`. */
export interface ManagedFieldsEntry {
  manager?: string;
  operation?: 'Apply' | 'Update';
  apiVersion?: string;
  time?: string;
  fieldsType?: 'FieldsV1';
  fieldsV1?: Record<string, unknown>;
  subresource?: string;
}

/** ObjectMeta of `meta/v1`. Times are RFC 3339 in whole seconds, UTC. */
export interface ObjectMeta {
  name?: string;
  generateName?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string | null;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
  managedFields?: ManagedFieldsEntry[];
  selfLink?: string;
}

/** Any Kubernetes object: plain JSON with a type and metadata. */
export interface KubeObject {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta;
  [field: string]: unknown;
}

/** Formats `group/version`, or the bare version for the core group. */
export function groupVersion(gv: { group: string; version: string }): string {
  return gv.group === '' ? gv.version : `${gv.group}/${gv.version}`;
}

/** Splits `group/version`; a value without a slash belongs to the core group. */
export function parseGroupVersion(apiVersion: string): { group: string; version: string } {
  const slash = apiVersion.indexOf('/');
  return slash < 0
    ? { group: '', version: apiVersion }
    : { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}

/**
 * Formats `resource.group`, or the bare resource for the core group: the name of a resource in
 * kube-apiserver's messages.
 */
export function qualifiedResource(gr: GroupResource): string {
  return gr.group === '' ? gr.resource : `${gr.resource}.${gr.group}`;
}

/** Formats `Kind.group`, or the bare kind for the core group: the name of a kind in Invalid messages. */
export function qualifiedKind(gk: { group: string; kind: string }): string {
  return gk.group === '' ? gk.kind : `${gk.kind}.${gk.group}`;
}
