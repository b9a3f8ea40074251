import { forbidden, groupVersion, type KubeObject } from '@annex/machinery';
import type { ObjectSchema } from '@annex/schema';
import {
  customBehavior,
  asJson,
  type MetaChecks,
  type ResourceKind,
  restore,
  type StorageKind,
  type Strategy,
  type Subresource,
  type TableColumn,
} from '@annex/kinds';
import { type Crd, type CrdVersion, isTrue } from '../crd/crd.ts';
import { deprecationWarningOf } from '../crd/deprecation.ts';
import { columnsOf } from './columns.ts';
import type { CompiledCrd } from './compiled-crd.ts';
import { finalizerWarnings } from './finalizer-warnings.ts';
import { scaleSubresource } from './scale.ts';
import { selectableFieldsOf } from './selectable-fields.ts';
import { storageKind } from './storage-kind.ts';

/** kube's order of verbs. */
const verbs = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];

/** The verbs in discovery while the CRD is being deleted: without those that create or change objects. */
const terminatingVerbs = ['delete', 'deletecollection', 'get', 'list', 'watch'];

/** Returns the kind of a served version of an accepted CRD. Its parts are made on first use: a CRD may have thousands of versions. */
export function servedKind(compiled: CompiledCrd, version: CrdVersion, retired: AbortSignal): ResourceKind {
  const { crd } = compiled;
  const { group } = crd.spec;
  const names = crd.status.acceptedNames;
  const warning = deprecationWarningOf(crd, version, compiled.preferredVersion);
  let columns: readonly TableColumn[] | undefined;
  let subresources: Record<string, Subresource> | undefined;
  let strategy: Strategy | undefined;
  let storage: StorageKind | undefined;
  let fields: ResourceKind['selectableFields'] | undefined;
  return {
    group,
    version: version.name,
    kind: names.kind,
    listKind: names.listKind ?? `${names.kind}List`,
    resource: names.plural,
    singular: names.singular ?? '',
    namespaced: crd.spec.scope === 'Namespaced',
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    verbs,
    ...(isTrue(crd, 'Terminating') ? { listedVerbs: terminatingVerbs } : {}),
    behavior: customBehavior,
    retired,
    get preparing(): Promise<void> | undefined {
      return compiled.preparing();
    },
    get schema(): ObjectSchema {
      return schemaOf(compiled, version);
    },
    get subresources() {
      return (subresources ??= subresourcesOf(compiled, version));
    },
    get columns() {
      return (columns ??= columnsOf(version));
    },
    get strategy() {
      return (strategy ??= strategyOf(crd, version));
    },
    get storage() {
      return (storage ??= storageKind(compiled, version.name));
    },
    get selectableFields() {
      return (fields ??= selectableFieldsOf(version));
    },
    ...(warning === undefined ? {} : { deprecationWarning: warning }),
  };
}

function schemaOf(compiled: CompiledCrd, version: CrdVersion) {
  const schema = compiled.schema(version.name);
  if (schema === undefined) throw new Error(`${compiled.crd.metadata.name} has no version ${version.name}`);
  return schema;
}

function strategyOf(crd: Crd, version: CrdVersion): Strategy {
  const hasStatus = version.subresources?.status !== undefined;
  const gr = { group: crd.spec.group, resource: crd.status.acceptedNames.plural };
  return {
    generation: true,
    resetVersions: new Set([groupVersion({ group: crd.spec.group, version: version.name })]),
    ...(hasStatus
      ? {
          prepareForCreate: (object) => void delete object.status,
          prepareForUpdate: (object, old) => restore(object, old, 'status'),
        }
      : {}),
    metaChecks,
    warnings: finalizerWarnings,
    ...(isTrue(crd, 'Terminating')
      ? {
          authorize({ metadata: { name = '' } }, old) {
            if (old === undefined)
              throw forbidden(gr, name, 'create not allowed while custom resource definition is terminating');
          },
        }
      : {}),
  };
}

// As in kube, both the server and the strategy of custom resources check the metadata of an update, and both report errors.
const metaChecks: MetaChecks = { asUpdate: 1, asWhole: 0, standardFinalizers: false };

function subresourcesOf(compiled: CompiledCrd, version: CrdVersion): Record<string, Subresource> {
  const { status, scale } = version.subresources ?? {};
  const result: Record<string, Subresource> = {};
  if (status !== undefined) result.status = statusSubresource(compiled, version);
  if (scale !== undefined) {
    const specOfScale = scaleSubresource(scale, compiled.crd, (updated, parent) =>
      schemaOf(compiled, version).validate(asJson(updated), asJson(parent)),
    );
    result.scale = { ...specOfScale, metaChecks };
  }
  return result;
}

/** Writes to the status subresource take and validate the status only. */
function statusSubresource(compiled: CompiledCrd, version: CrdVersion): Subresource {
  const { group } = compiled.crd.spec;
  return {
    group,
    version: version.name,
    kind: compiled.crd.status.acceptedNames.kind,
    verbs: ['get', 'patch', 'update'],
    metaChecks,
    resetFields: [['metadata'], ['spec']],
    resetVersions: compiled.statusVersions,
    read: (parent) => parent,
    write(sent, parent) {
      const { resourceVersion, managedFields } = sent.metadata;
      const metadata = { ...parent.metadata };
      if (managedFields) metadata.managedFields = managedFields;
      else delete metadata.managedFields;
      if (resourceVersion) metadata.resourceVersion = resourceVersion;
      else delete metadata.resourceVersion;
      const updated: KubeObject = { ...parent, metadata };
      restore(updated, sent, 'status');
      return updated;
    },
    validate: (updated, parent) =>
      schemaOf(compiled, version).validateStatus(asJson(updated), asJson(parent)),
  };
}
