import { deepCopy, groupVersion, type KubeObject } from '@annex/machinery';
import type { AdmissionAttributes } from './plugin.ts';
import type { ResourceKind } from '@annex/kinds';

/** The objects of a request in one version. Shared: never change them. */
export interface VersionedObjects {
  object: KubeObject | undefined;
  oldObject: KubeObject | undefined;
}

/** The objects of a request in another version of its kind. Throws StatusError where they cannot be converted. */
export async function versioned(
  attributes: AdmissionAttributes,
  kind: ResourceKind,
): Promise<VersionedObjects> {
  // The type of a subresource is the same in all versions of its resource.
  if (attributes.objectKind !== undefined)
    return { object: attributes.object, oldObject: attributes.oldObject };
  const convert = async (object: KubeObject | undefined) =>
    object && (await convertKind(object, attributes.kind, kind));
  return { object: await convert(attributes.object), oldObject: await convert(attributes.oldObject) };
}

/** An object in another version of its kind; the same object where the version is the same. */
export async function convertKind(
  object: KubeObject,
  from: ResourceKind,
  to: ResourceKind,
): Promise<KubeObject> {
  if (from === to || from.storage === undefined || to.storage === undefined) return object;
  // Nothing is pruned where a kind says how it looks in its other versions.
  const converted = await from.storage.inVersion?.(deepCopy(object), groupVersion(to));
  if (converted !== undefined) return converted.object;
  // What storing leaves out is not lost here: the version of an object is told beside its bytes.
  const { resourceVersion } = object.metadata;
  const shown = await to.storage.fromStored(await from.storage.toStored(deepCopy(object)));
  return resourceVersion === undefined
    ? shown
    : { ...shown, metadata: { ...shown.metadata, resourceVersion } };
}
