import { type FieldError, type JsonObject, type KubeObject } from '@annex/machinery';
import { compileStructural, type StructuralSchema } from '@annex/schema';
import {
  age,
  asJson,
  type PublishedKind,
  type ResourceKind,
  statusStrategy,
  statusSubresource,
  type Strategy,
  type Subresource,
  type TableColumn,
} from '@annex/server';
import type { Column, Resource, ResourceDefinition } from './define-resource.ts';
import { type Definition, storageOf } from './resource-storage.ts';

const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

/** A resource as the server serves it and as it is published. */
export interface ServedResource {
  kind: ResourceKind;
  published: PublishedKind;
}

/** Compiles the resources of a group. */
export function serveResources(group: string, resources: readonly Resource[]): ServedResource[] {
  const definitions = resources as unknown as readonly Definition[];
  return definitions.map((definition) =>
    serveResource(
      group,
      definition,
      definitions.filter(({ plural }) => plural === definition.plural),
    ),
  );
}

function serveResource(
  group: string,
  definition: Definition,
  versions: readonly Definition[],
): ServedResource {
  const { version, kind, plural } = definition;
  const listKind = `${kind}List`;
  const schema = compileStructural(definition.schema as JsonObject);
  const hasStatus = definition.status ?? Object.hasOwn(definition.schema.properties ?? {}, 'status');
  const selectable = Object.entries(definition.selectableFields ?? {});
  return {
    kind: {
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
      custom: true,
      schema,
      subresources: hasStatus ? { status: statusOf(group, definition, schema) } : {},
      columns: [nameColumn, ...(definition.columns ?? []).map(tableColumn), ageColumn],
      strategy: strategyOf(definition, hasStatus),
      storage: storageOf(group, definition, versions),
      selectableFields: new Map(selectable),
    },
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

function strategyOf({ prepare, validate }: ResourceDefinition, hasStatus: boolean): Strategy {
  const base = hasStatus ? statusStrategy(() => undefined) : {};
  return {
    generation: true,
    async prepareForCreate(object, ctx) {
      await base.prepareForCreate?.(object, ctx);
      await prepare?.(object, undefined);
    },
    async prepareForUpdate(object, old, ctx) {
      await base.prepareForUpdate?.(object, old, ctx);
      await prepare?.(object, old);
    },
    validateCreate: (object) => validate?.(object, undefined) ?? [],
    validateUpdate: (object, old) => validate?.(object, old) ?? [],
  };
}

function statusOf(
  group: string,
  { version, kind, validate }: ResourceDefinition,
  schema: StructuralSchema,
): Subresource {
  return {
    group,
    version,
    kind,
    verbs: ['get', 'patch', 'update'],
    ...statusSubresource,
    async validate(updated, parent): Promise<FieldError[]> {
      const own = (await validate?.(updated, parent)) ?? [];
      return [...schema.validateStatus(asJson(updated), asJson(parent)), ...own];
    },
  };
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
