import { copyInPasses, finishInSlices, groupVersion, type KubeObject } from '@annex/machinery';
import { pause } from '../large-objects.ts';
import { fromStoredInSlices, toStoredInSlices } from '../stored-conversion.ts';
import type { AdmissionAttributes } from './plugin.ts';
import type { ResourceKind } from '@annex/kinds';

/** The objects of a request in one version. Shared and read-only. */
export interface VersionedObjects {
  object: KubeObject | undefined;
  oldObject: KubeObject | undefined;
}

/**
 * Returns the objects of a request in another version of its kind. Throws StatusError if the conversion
 * fails.
 */
export async function versioned(
  attributes: AdmissionAttributes,
  kind: ResourceKind,
): Promise<VersionedObjects> {
  // A subresource has the same type in all versions of its resource.
  if (attributes.objectKind !== undefined)
    return { object: attributes.object, oldObject: attributes.oldObject };
  const convert = async (object: KubeObject | undefined) =>
    object && (await convertKind(object, attributes.kind, kind));
  return { object: await convert(attributes.object), oldObject: await convert(attributes.oldObject) };
}

/** Converts an object to another version of its kind; returns the same object if the version is the same. */
export async function convertKind(
  object: KubeObject,
  from: ResourceKind,
  to: ResourceKind,
): Promise<KubeObject> {
  if (from === to || from.storage === undefined || to.storage === undefined) return object;
  // A kind that converts between its versions directly prunes nothing.
  const copy = await finishInSlices(copyInPasses(object), pause);
  const converted = await from.storage.inVersion?.(copy, groupVersion(to));
  if (converted !== undefined) return converted.object;
  // The stored form has no resourceVersion: restore it.
  const { resourceVersion } = object.metadata;
  const shown = await fromStoredInSlices(to.storage, await toStoredInSlices(from.storage, copy));
  return resourceVersion === undefined
    ? shown
    : { ...shown, metadata: { ...shown.metadata, resourceVersion } };
}
