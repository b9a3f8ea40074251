import { isEmptyObject, isKnownWide, isObject, type JsonObject, setOwn } from '@annex/machinery';

/** Returns the labels in the metadata of an object; `undefined` if there are none. */
export const labelsOfMetadata = (value: unknown): JsonObject | undefined => {
  const metadata = isObject(value) ? value.metadata : undefined;
  const labels = isObject(metadata) ? metadata.labels : undefined;
  return isObject(labels) ? labels : undefined;
};

export const hasNoLabels = (value: unknown) => !isObject(value) || isEmptyObject(value);

/** Copies labels. Very many are shared, as in kube-apiserver: a copy would hold the event loop. */
export const copyOf = (labels: JsonObject): JsonObject => (isKnownWide(labels) ? labels : { ...labels });

/** Returns labels with others. Very many are changed in place. */
export function withLabels(labels: unknown, added: Readonly<Record<string, string>>): JsonObject {
  const all = isObject(labels) ? copyOf(labels) : {};
  for (const [name, value] of Object.entries(added)) setOwn(all, name, value);
  return all;
}

/** Sets the labels of the pod template on objects without labels. */
export function labelsFromTemplate(object: JsonObject): void {
  const labels = labelsOfMetadata(isObject(object.spec) ? object.spec.template : undefined);
  if (labels === undefined || !hasNoLabels(labelsOfMetadata(object))) return;
  object.metadata = { ...(object.metadata as JsonObject), labels: copyOf(labels) };
}
