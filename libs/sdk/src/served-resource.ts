import { invalid, type JsonObject, type KubeObject } from '@annex/machinery';
import { compileStructural, type StructuralSchema } from '@annex/schema';
import {
  type AdmissionPlugin,
  age,
  asJson,
  customBehaviour,
  type PublishedKind,
  type RequestContext,
  type ResourceKind,
  statusStrategy,
  type Strategy,
  type TableColumn,
} from '@annex/server';
import type { Column, Resource, ResourceDefinition } from './define-resource.ts';
import { type ExtensionRequest, extensionRequest } from './extension-request.ts';
import type { StoredByUs } from './own-objects.ts';
import { type Definition, storageOf } from './resource-storage.ts';
import { subresourcesOf } from './subresources.ts';

const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

/** A resource as the server serves it and as it is published. */
export interface ServedResource {
  kind: ResourceKind;
  published: PublishedKind;
  admission: readonly AdmissionPlugin[];
}

/** Compiles the resources of a group. */
export function serveResources(
  group: string,
  resources: readonly Resource[],
  objects: StoredByUs,
): ServedResource[] {
  const definitions = inOrder(resources as unknown as readonly Definition[]);
  return definitions.map((definition) => {
    const versions = definitions.filter(({ plural }) => plural === definition.plural);
    const served = serveResource(group, definition, versions, objects);
    objects.add(definition, served.kind);
    return served;
  });
}

/** Versions as they are preferred, the resources of each by their names, as Go's servers list them. */
function inOrder(definitions: readonly Definition[]): Definition[] {
  const versions = [...new Set(definitions.map(({ version }) => version))];
  return definitions.toSorted(
    (a, b) =>
      versions.indexOf(a.version) - versions.indexOf(b.version) || Number(a.plural > b.plural) * 2 - 1,
  );
}

function serveResource(
  group: string,
  definition: Definition,
  versions: readonly Definition[],
  objects: StoredByUs,
): ServedResource {
  const { version, kind, plural } = definition;
  const listKind = `${kind}List`;
  const schema = compileStructural(definition.schema as JsonObject);
  const hasStatus = definition.status ?? Object.hasOwn(definition.schema.properties ?? {}, 'status');
  const selectable = Object.entries(definition.selectableFields ?? {});
  const requestOf = (ctx: RequestContext, object: KubeObject) =>
    extensionRequest(ctx, { group, resource: plural }, object, objects);
  const columns = (definition.columns ?? []).map(tableColumn);
  const served: ResourceKind = {
    group,
    version,
    kind,
    listKind,
    resource: plural,
    singular: definition.singular ?? kind.toLowerCase(),
    namespaced: definition.scope !== 'Cluster',
    shortNames: definition.shortNames ?? [],
    categories: definition.categories ?? [],
    verbs,
    behaviour: customBehaviour,
    schema,
    subresources: subresourcesOf({ group, definition, schema, hasStatus, objects }),
    columns: [nameColumn, ...columns, ...(definition.age === false ? [] : [ageColumn])],
    strategy: strategyOf(definition, schema, hasStatus, requestOf),
    storage: storageOf(group, definition, versions),
    selectableFields: new Map(selectable),
    ...(definition.deprecationWarning ? { deprecationWarning: definition.deprecationWarning } : {}),
  };
  return {
    kind: served,
    admission: admissionOf(served, definition, schema, hasStatus, requestOf),
    published: {
      group,
      version,
      kind,
      listKind,
      plural,
      schema: definition.schema as JsonObject,
      ...(selectable.length > 0 ? { selectableFields: selectable.map(([label]) => label) } : {}),
    },
  };
}

type RequestOf = (ctx: RequestContext, object: KubeObject) => ExtensionRequest;

const statusFor = (hasStatus: boolean): Strategy => (hasStatus ? statusStrategy(() => undefined) : {});

function strategyOf(
  { generation = true, prepare, validate }: ResourceDefinition,
  schema: StructuralSchema,
  hasStatus: boolean,
  requestOf: RequestOf,
): Strategy {
  const base = statusFor(hasStatus);
  // What a plugin of the server made of an object may be of another type again.
  const complaints = (object: KubeObject, old: KubeObject | undefined, ctx: RequestContext) =>
    validate && fits(schema, object, old) ? validate(object, old, requestOf(ctx, object)) : [];
  return {
    generation,
    async prepareForCreate(object, ctx) {
      await base.prepareForCreate?.(object, ctx);
      await prepare?.(object, undefined, requestOf(ctx, object));
    },
    async prepareForUpdate(object, old, ctx) {
      await base.prepareForUpdate?.(object, old, ctx);
      await prepare?.(object, old, requestOf(ctx, object));
    },
    validateCreate: (object, ctx) => complaints(object, undefined, ctx),
    validateUpdate: complaints,
  };
}

const fits = (schema: StructuralSchema, object: KubeObject, old: KubeObject | undefined): boolean =>
  schema.validate(asJson(object), old && asJson(old)).length === 0;

/**
 * The gate of a definition: what the schema forbids is refused before any function of the definition sees it, so that they
 * get objects of their type. As in kube-apiserver `admit` stands before the validation.
 */
function admissionOf(
  { group, resource, version }: ResourceKind,
  { admit, prepare, validate }: ResourceDefinition,
  schema: StructuralSchema,
  hasStatus: boolean,
  requestOf: RequestOf,
): AdmissionPlugin[] {
  if ([admit, prepare, validate].every((hook) => hook === undefined)) return [];
  const status = statusFor(hasStatus);
  return [
    {
      name: `${resource}.${version}`,
      resources: [`${group}/${resource}`],
      async mutate({ kind, object, oldObject: old, request, subresource }) {
        if (kind.version !== version || subresource !== '' || object === undefined) return;
        // A status that does not count need not fit.
        if (old === undefined) await status.prepareForCreate?.(object, request);
        else await status.prepareForUpdate?.(object, old, request);
        const errors = schema.validate(asJson(object), old && asJson(old));
        if (errors.length > 0) throw invalid(kind, object.metadata.name ?? '', errors);
        await admit?.(object, old, requestOf(request, object));
      },
    },
  ];
}

const nameColumn: TableColumn = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description: 'The name of the object.',
  priority: 0,
  cell: (object) => object.metadata.name ?? '',
};

const ageColumn: TableColumn = {
  name: 'Age',
  type: 'date',
  format: '',
  description: 'How long ago the object was created.',
  priority: 0,
  cell: ({ metadata }, now) => age(metadata.creationTimestamp, now),
};

function tableColumn({
  name,
  type = 'string',
  description = '',
  priority = 0,
  value,
}: Column<KubeObject>): TableColumn {
  const cell =
    type === 'date'
      ? (object: KubeObject, now: number) => age(value(object) as string | undefined, now)
      : (object: KubeObject) => value(object) ?? null;
  return { name, type, format: '', description, priority, cell };
}
