import {
  errorsInPasses,
  type FieldError,
  finishSoon,
  invalid,
  type JsonObject,
  type KubeObject,
  nameIsPathSegment,
} from '@annex/machinery';
import type { DefinedSchema } from '@annex/schema';
import { schemaOf } from './defined-schema.ts';
import { type AdmissionPlugin, pauseFor } from '@annex/server';
import { mapMaybePromise } from '@annex/runtime';
import {
  age,
  asJson,
  customBehavior,
  defaultColumns,
  type KindBehavior,
  type PublishedKind,
  type RequestContext,
  type ResourceKind,
  statusStrategy,
  type Preparation,
  type Strategy,
  type TableColumn,
  typedBehavior,
} from '@annex/kinds';
import type { Column, ExtensionRequest, Resource, ResourceDefinition } from './resource-definition.ts';
import { extensionRequest } from './extension-request.ts';
import type { AddedResources } from './own-objects.ts';
import { type Definition, storageOf } from './resource-storage.ts';
import { subresourcesOf } from './subresources.ts';

const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

/** A resource: its served kind, its admission, and its published schema. */
export interface ServedResource {
  kind: ResourceKind;
  published: PublishedKind;
  admission: readonly AdmissionPlugin[];
}

/** Compiles the resources of a group. */
export function serveResources(
  group: string,
  resources: readonly Resource[],
  objects: AddedResources,
): ServedResource[] {
  const definitions = inOrder(resources as unknown as readonly Definition[]);
  const schemas = new Map(definitions.map((definition) => [definition, schemaOf(group, definition)]));
  const hasKind = (requested: string, version: string, kind: string): boolean =>
    requested === group && definitions.some((known) => known.version === version && known.kind === kind);
  const behavior = typedBehavior(group, hasKind);
  return definitions.map((definition) => {
    const parts = {
      group,
      definition,
      versions: definitions.filter(({ plural }) => plural === definition.plural),
      schemas,
      behavior: definition.typed ? behavior : customBehavior,
      objects,
    };
    const served = serveResource(parts);
    objects.add(definition, served.kind);
    return served;
  });
}

/** Sorts versions by preference, and the resources of each by name, as Go's servers do. */
function inOrder(definitions: readonly Definition[]): Definition[] {
  const versions = [...new Set(definitions.map(({ version }) => version))];
  return definitions.toSorted(
    (a, b) =>
      versions.indexOf(a.version) - versions.indexOf(b.version) || Number(a.plural > b.plural) * 2 - 1,
  );
}

/** The input of a served resource. */
interface Parts {
  group: string;
  definition: Definition;
  /** All definitions of the same resource. */
  versions: readonly Definition[];
  schemas: ReadonlyMap<Definition, DefinedSchema>;
  behavior: KindBehavior;
  objects: AddedResources;
}

function serveResource({ group, definition, versions, schemas, behavior, objects }: Parts): ServedResource {
  const { version, kind, plural } = definition;
  const listKind = `${kind}List`;
  const schema = schemas.get(definition) as DefinedSchema;
  // Completes the result of a conversion as decoding does: omits zeros and sets defaults.
  const complete = (object: KubeObject, target: Definition) => {
    if (target.typed) schemas.get(target)?.applyDefaults(asJson(object));
  };
  const hasStatus = definition.status ?? Object.hasOwn(definition.schema.properties ?? {}, 'status');
  const selectable = Object.entries(definition.selectableFields ?? {});
  const requestOf = (request: RequestContext, object: KubeObject) =>
    extensionRequest(request, { group, resource: plural }, object, objects);
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
    behavior,
    schema,
    subresources: subresourcesOf({ group, definition, schema, hasStatus, objects }),
    columns: columnsOf(definition),
    strategy: strategyOf(definition, schema, hasStatus, requestOf),
    storage: storageOf(group, definition, versions, complete),
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

type RequestOf = (request: RequestContext, object: KubeObject) => ExtensionRequest;

/** The main endpoint keeps the status; new typed objects have an empty status. */
const statusFor = (hasStatus: boolean, { empty }: DefinedSchema): Preparation =>
  hasStatus ? statusStrategy(() => empty?.status) : {};

function strategyOf(
  { generation = true, prepare, typed, validate }: ResourceDefinition,
  schema: DefinedSchema,
  hasStatus: boolean,
  requestOf: RequestOf,
): Strategy {
  const base = statusFor(hasStatus, schema);
  // An admission plugin may have changed the object to another type.
  const errors = (object: KubeObject, old: KubeObject | undefined, request: RequestContext) =>
    validate === undefined
      ? []
      : mapMaybePromise(schemaErrors(schema, object, old, request), (found) =>
          found.length === 0 ? validate(object, old, requestOf(request, object)) : [],
        );
  return {
    generation,
    ...(typed ? { validateName: nameIsPathSegment, metadataLast: true } : {}),
    async prepareForCreate(object, request) {
      await base.prepareForCreate?.(object, request);
      await prepare?.(object, undefined, requestOf(request, object));
    },
    async prepareForUpdate(object, old, request) {
      await base.prepareForUpdate?.(object, old, request);
      await prepare?.(object, old, requestOf(request, object));
    },
    validateCreate: (object, request) => errors(object, undefined, request),
    validateUpdate: errors,
  };
}

const schemaErrors = (
  schema: DefinedSchema,
  object: KubeObject,
  old: KubeObject | undefined,
  request: RequestContext,
): FieldError[] | Promise<FieldError[]> =>
  finishSoon(
    errorsInPasses(() => schema.validate(asJson(object), old && asJson(old))),
    pauseFor(request),
  );

/**
 * Returns the admission of a definition. The schema is checked first, so that the functions of the definition
 * receive objects of its type. As in kube-apiserver, `admit` precedes the validation.
 */
function admissionOf(
  { group, resource, version }: ResourceKind,
  { admit, prepare, validate }: ResourceDefinition,
  schema: DefinedSchema,
  hasStatus: boolean,
  requestOf: RequestOf,
): AdmissionPlugin[] {
  if ([admit, prepare, validate].every((hook) => hook === undefined)) return [];
  const status = statusFor(hasStatus, schema);
  return [
    {
      name: `${resource}.${version}`,
      resources: [`${group}/${resource}`],
      async mutate({ kind, object, oldObject: old, request, subresource }) {
        if (kind.version !== version || subresource !== '' || object === undefined) return;
        // The status of the request is ignored, so it need not be valid.
        if (old === undefined) await status.prepareForCreate?.(object, request);
        else await status.prepareForUpdate?.(object, old, request);
        const errors = await schemaErrors(schema, object, old, request);
        if (errors.length > 0) throw invalid(kind, object.metadata.name ?? '', errors);
        await admit?.(object, old, requestOf(request, object));
      },
    },
  ];
}

/** As in Go's servers, the default columns are name and creation time. */
const columnsOf = ({ typed, columns, age }: ResourceDefinition): readonly TableColumn[] =>
  typed && columns === undefined && age === undefined
    ? defaultColumns()
    : [nameColumn, ...(columns ?? []).map(tableColumn), ...(age === false ? [] : [ageColumn])];

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
