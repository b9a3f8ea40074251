import { isObject, type JsonObject, type JsonValue, type KubeObject } from '@annex/machinery';

const stored = 'apiextensions.k8s.io/v1beta1';

/**
 * Returns the v1 form of a CustomResourceDefinition that kube-apiserver stored: it stores `v1beta1`, in which members that are equal in
 * all versions stand above them. Other objects are returned unchanged.
 */
export function crdOfStored(object: KubeObject): KubeObject {
  if (object.apiVersion !== stored || !isObject(object.spec)) return object;
  const { version, versions, validation, subresources, additionalPrinterColumns, selectableFields, ...spec } =
    object.spec;
  const shared = present({ schema: validation, subresources, additionalPrinterColumns, selectableFields });
  const list = Array.isArray(versions) ? versions : [{ name: version ?? '', served: true, storage: true }];
  return {
    ...object,
    apiVersion: 'apiextensions.k8s.io/v1',
    spec: present({
      ...spec,
      versions: list.map((one) => withColumns({ ...(one as JsonObject), ...shared })),
      conversion: isObject(spec.conversion) ? conversionOf(spec.conversion) : undefined,
      preserveUnknownFields: spec.preserveUnknownFields === true ? true : undefined,
    }),
  };
}

const present = (object: Record<string, JsonValue | undefined>): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as JsonObject;

function withColumns(version: JsonObject): JsonObject {
  const { additionalPrinterColumns: columns } = version;
  if (!Array.isArray(columns)) return version;
  return {
    ...version,
    additionalPrinterColumns: columns.filter(isObject).map(({ JSONPath, ...column }) => ({
      ...column,
      jsonPath: JSONPath ?? '',
    })),
  };
}

function conversionOf({ strategy, webhookClientConfig, conversionReviewVersions }: JsonObject): JsonObject {
  if (webhookClientConfig === undefined && conversionReviewVersions === undefined)
    return present({ strategy });
  const reviews = { conversionReviewVersions: conversionReviewVersions ?? null };
  return present({ strategy, webhook: present({ clientConfig: webhookClientConfig, ...reviews }) });
}
