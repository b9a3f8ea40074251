import { deepEqual, type JsonObject, type KubeObject } from '@annex/machinery';
import type { Crd, CrdNames, CrdStatus, CrdSubresources, CrdVersion, PrinterColumn } from './crd.ts';
import { withEmptyFields } from './go-shape.ts';

/** A CRD in the internal form of kube-apiserver's validation, independent of its API version. */
export interface InternalCrd extends KubeObject {
  spec: InternalSpec;
  status: CrdStatus;
}

/**
 * A spec in the internal form of kube-apiserver's validation: members that all versions share are above the versions. Therefore, the errors
 * of a CRD with a single version have the paths `spec.validation`, `spec.subresources` and `spec.additionalPrinterColumns`.
 * Source: k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1/conversion.go.
 */
export interface InternalSpec {
  group: string;
  version: string;
  names: CrdNames;
  scope: string;
  validation?: { openAPIV3Schema?: JsonObject };
  subresources?: CrdSubresources;
  versions: CrdVersion[] | null;
  additionalPrinterColumns?: PrinterColumn[];
  selectableFields?: { jsonPath: string }[];
  conversion?: InternalConversion;
  preserveUnknownFields: boolean;
}

export interface InternalConversion {
  strategy: string;
  webhookClientConfig?: NonNullable<NonNullable<Crd['spec']['conversion']>['webhook']>['clientConfig'];
  conversionReviewVersions?: string[] | null;
}

const shared = ['schema', 'subresources', 'additionalPrinterColumns', 'selectableFields'] as const;
type Shared = (typeof shared)[number];

export const internalCrd = (crd: Crd): InternalCrd => ({ ...crd, spec: internalForm(crd.spec) });

export function internalForm(spec: Crd['spec']): InternalSpec {
  const versions = spec.versions?.map((version) => ({ ...withEmptyFields(version) })) ?? spec.versions;
  const lifted: Partial<Pick<CrdVersion, Shared>> = {};
  for (const field of shared) lift(versions ?? [], field, lifted);
  const { schema, ...rest } = lifted;
  return {
    group: spec.group,
    version: versions?.[0]?.name ?? '',
    names: spec.names,
    scope: spec.scope,
    versions,
    ...rest,
    ...(schema ? { validation: schema } : {}),
    ...(spec.conversion ? { conversion: internalConversion(spec.conversion) } : {}),
    preserveUnknownFields: spec.preserveUnknownFields ?? false,
  };
}

function lift<F extends Shared>(versions: CrdVersion[], field: F, into: Partial<Pick<CrdVersion, F>>): void {
  const first = valueOf(versions[0], field);
  if (!versions.every((version) => deepEqual(valueOf(version, field), first))) return;
  if (first !== undefined) into[field] = first;
  for (const version of versions) delete version[field];
}

// Go's nil and empty lists are equal here.
function valueOf<F extends Shared>(version: CrdVersion | undefined, field: F): CrdVersion[F] {
  const value = version?.[field];
  return Array.isArray(value) && value.length === 0 ? undefined : value;
}

function internalConversion(conversion: NonNullable<Crd['spec']['conversion']>): InternalConversion {
  const { strategy, webhook } = conversion;
  if (webhook === undefined) return { strategy };
  return {
    strategy,
    conversionReviewVersions: webhook.conversionReviewVersions,
    ...(webhook.clientConfig ? { webhookClientConfig: webhook.clientConfig } : {}),
  };
}

/** Returns the schema of each version by its name; the shared schema if there is one. */
export function schemasByVersion(spec: InternalSpec): (name: string) => JsonObject | undefined {
  const versions = spec.versions ?? [];
  if (!versions.some(({ schema }) => schema !== undefined)) return () => spec.validation?.openAPIV3Schema;
  // The first one of a name counts.
  const schemas = new Map(versions.toReversed().map(({ name, schema }) => [name, schema?.openAPIV3Schema]));
  return (name) => schemas.get(name);
}

/** Returns every schema: the shared one, or those of the versions. */
export function schemasOf(spec: InternalSpec): JsonObject[] {
  const parts = [spec.validation, ...(spec.versions ?? []).map((version) => version.schema)];
  return parts.map((part) => part?.openAPIV3Schema).filter((schema) => schema !== undefined);
}
