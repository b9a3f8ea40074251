import { isEmptyObject, isObject, type JsonObject } from '@annex/machinery';

/** Returns the labels in the metadata of an object; `undefined` if there are none. */
export const labelsOfMetadata = (value: unknown): JsonObject | undefined => {
  const metadata = isObject(value) ? value.metadata : undefined;
  const labels = isObject(metadata) ? metadata.labels : undefined;
  return isObject(labels) ? labels : undefined;
};

export const hasNoLabels = (value: unknown) => !isObject(value) || isEmptyObject(value);

/** Sets the labels of the pod template on objects without labels. */
export function labelsFromTemplate(object: JsonObject): void {
  const labels = labelsOfMetadata(isObject(object.spec) ? object.spec.template : undefined);
  if (labels === undefined || !hasNoLabels(labelsOfMetadata(object))) return;
  object.metadata = { ...(object.metadata as JsonObject), labels: { ...labels } };
}
