import type { KubeObject } from '@annex/machinery';
import type { Crd, CrdNames, CrdSpec, CrdStatus, CrdVersion, PrinterColumn } from '../crd/crd.ts';
import {
  type InternalConversion,
  type InternalCrd,
  internalForm,
  type InternalSpec,
} from '../crd/internal-form.ts';

/** A CustomResourceDefinition of `apiextensions.k8s.io/v1beta1`, after defaulting. */
export interface BetaCrd extends KubeObject {
  spec: BetaSpec;
  status: CrdStatus;
}

/** Members that all versions share may be set above the versions. */
export interface BetaSpec extends Pick<CrdVersion, 'subresources' | 'selectableFields'> {
  group: string;
  version?: string;
  names: CrdNames;
  scope: string;
  validation?: NonNullable<CrdVersion['schema']>;
  versions?: BetaVersion[];
  additionalPrinterColumns?: BetaColumn[];
  conversion?: InternalConversion;
  preserveUnknownFields?: boolean;
}

export type BetaVersion = Omit<CrdVersion, 'additionalPrinterColumns'> & {
  additionalPrinterColumns?: BetaColumn[];
};

export type BetaColumn = Omit<PrinterColumn, 'jsonPath'> & { JSONPath: string };

const asBeta = (object: KubeObject): BetaCrd => object as unknown as BetaCrd;
const withoutAbsent = <T extends object>(object: T): T =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as T;

const betaColumn = ({ jsonPath, ...column }: PrinterColumn): BetaColumn => ({
  ...column,
  JSONPath: jsonPath,
});
const column = ({ JSONPath, ...rest }: BetaColumn): PrinterColumn => ({ ...rest, jsonPath: JSONPath });

/** Returns the form of a v1beta1 CRD that validation uses. */
export const internalBetaCrd = (object: KubeObject): InternalCrd => ({
  ...object,
  spec: internalBetaSpec(asBeta(object).spec),
  status: asBeta(object).status,
});

function internalBetaSpec({ version, versions, additionalPrinterColumns, ...spec }: BetaSpec): InternalSpec {
  return withoutAbsent({
    ...spec,
    version: version ?? '',
    versions: versions?.map(internalVersion) ?? null,
    additionalPrinterColumns: additionalPrinterColumns?.map(column),
    preserveUnknownFields: spec.preserveUnknownFields ?? true,
  }) as InternalSpec;
}

const internalVersion = ({ additionalPrinterColumns, ...version }: BetaVersion): CrdVersion => ({
  ...version,
  ...(additionalPrinterColumns ? { additionalPrinterColumns: additionalPrinterColumns.map(column) } : {}),
});

/** Converts a CRD to v1: members above the versions are copied into each version. */
export function crdOfBeta(object: KubeObject): KubeObject {
  const { group, names, scope, versions, conversion, preserveUnknownFields, ...rest } = internalBetaSpec(
    asBeta(object).spec,
  );
  const shared = withoutAbsent({
    schema: rest.validation,
    subresources: rest.subresources,
    additionalPrinterColumns: rest.additionalPrinterColumns,
    selectableFields: rest.selectableFields,
  });
  const spec = withoutAbsent({
    group,
    names,
    scope,
    versions: versions?.map((version) => ({ ...version, ...shared })) ?? null,
    conversion: conversion && conversionOfBeta(conversion),
    preserveUnknownFields: preserveUnknownFields || undefined,
  });
  return { ...object, apiVersion: 'apiextensions.k8s.io/v1', spec } as KubeObject;
}

function conversionOfBeta(conversion: InternalConversion): NonNullable<CrdSpec['conversion']> {
  const { strategy, webhookClientConfig: clientConfig, conversionReviewVersions } = conversion;
  if (clientConfig === undefined && conversionReviewVersions === undefined) return { strategy };
  const reviews = { conversionReviewVersions: conversionReviewVersions ?? null };
  return { strategy, webhook: clientConfig ? { clientConfig, ...reviews } : reviews };
}

/** Converts a CRD to v1beta1: members that are equal in all versions move above them. */
export function betaOfCrd(object: KubeObject): KubeObject {
  const internal = internalForm((object as unknown as Crd).spec);
  const { version, versions, additionalPrinterColumns, conversion } = internal;
  const spec: BetaSpec = withoutAbsent({
    group: internal.group,
    version: version === '' ? undefined : version,
    names: internal.names,
    scope: internal.scope,
    validation: internal.validation,
    subresources: internal.subresources,
    versions: versions?.map(betaVersion),
    additionalPrinterColumns: additionalPrinterColumns?.map(betaColumn),
    selectableFields: internal.selectableFields,
    conversion: conversion && betaConversion(conversion),
    preserveUnknownFields: internal.preserveUnknownFields,
  }) as BetaSpec;
  return { ...object, apiVersion: 'apiextensions.k8s.io/v1beta1', spec } as unknown as KubeObject;
}

function betaVersion({ additionalPrinterColumns, ...version }: CrdVersion): BetaVersion {
  const columns = additionalPrinterColumns?.map(betaColumn) ?? [];
  return columns.length > 0 ? { ...version, additionalPrinterColumns: columns } : version;
}

function betaConversion({ conversionReviewVersions, ...conversion }: InternalConversion): InternalConversion {
  return conversionReviewVersions?.length ? { ...conversion, conversionReviewVersions } : conversion;
}
