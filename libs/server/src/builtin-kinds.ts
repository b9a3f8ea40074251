import { groupVersion, type JsonObject, type KubeObject } from '@annex/machinery';
import type { ObjectSchema } from '@annex/schema';
import { type Cell, genericCells } from './builtin-cells.ts';
import { cohabitants } from './builtin-cohabitants.ts';
import {
  lazily,
  type RecordedColumn,
  type RecordedResource,
  type RecordedSubresource,
  recordedColumns,
  recordedGroupVersions,
} from './builtin-data.ts';
import type { TypeDefaults } from './builtin-defaults.ts';
import { builtinDefaults, builtinSchema } from './builtin-schema.ts';
import { statusStrategy, statusSubresource } from './builtin-status.ts';
import { traitsOf } from './builtin-traits.ts';
import type { ResourceKind, StorageKind, Strategy, Subresource, TableColumn } from './resource-kind.ts';

/** What an app adds to a recorded kind. */
export interface KindExtension {
  /** Added to the strategy that recorded facts give (status isolation); hooks of the same name replace it. */
  strategy?: Strategy;
  /** Defaults by type, beyond those in the recorded schemas. */
  defaults?: TypeDefaults;
  /** Cells by the name of their column. Columns without a cell stay empty. */
  cells?: Readonly<Record<string, Cell>>;
  /** Added to the recorded subresource of that name. */
  subresources?: Readonly<Record<string, Partial<Subresource>>>;
  selectableFields?: ReadonlyMap<string, (object: KubeObject) => string>;
  storage?: StorageKind;
  deprecationWarning?: string;
}

/**
 * The kinds of the groups that the predicate accepts, in the order of kube-apiserver's discovery, as recorded.
 * Reads discovery and columns only; the schema of a kind is compiled when it is first asked for.
 */
export function builtinKinds(accepts: (group: string) => boolean = () => true): ResourceKind[] {
  return recordedGroupVersions()
    .filter((gv) => accepts(gv.group))
    .flatMap((gv) => gv.resources.map((recorded) => builtinKind(gv.group, gv.version, recorded)));
}

function builtinKind(group: string, version: string, recorded: RecordedResource): ResourceKind {
  const kind = recorded.responseKind.kind;
  const schema = lazily(() => builtinSchema(group, version, { group, version, kind }));
  const names = recorded.subresources?.map((s) => s.subresource) ?? [];
  const hasStatus = names.includes('status');
  return {
    group,
    version,
    kind,
    listKind: `${kind}List`,
    resource: recorded.resource,
    singular: recorded.singularResource,
    namespaced: recorded.scope === 'Namespaced',
    shortNames: recorded.shortNames ?? [],
    categories: recorded.categories ?? [],
    verbs: recorded.verbs,
    custom: false,
    get schema(): ObjectSchema {
      return schema();
    },
    subresources: Object.fromEntries(
      recorded.subresources?.map((s) => [s.subresource, builtinSubresource(group, version, kind, s)]) ?? [],
    ),
    columns: recordedColumns(groupVersion({ group, version }), recorded.resource).map((column) =>
      withCell(column, genericCells[column.name]),
    ),
    strategy: { ...traitsOf(group, recorded.resource), ...(hasStatus ? statusStrategy : {}) },
    // What can only be created is asked, not kept.
    ...(recorded.verbs.includes('list') ? { storage: storageOf(group, version, recorded.resource) } : {}),
    selectableFields: new Map(),
  };
}

function builtinSubresource(
  group: string,
  version: string,
  kind: string,
  recorded: RecordedSubresource,
): Subresource {
  const own = recorded.responseKind;
  const gvk = own.version === '' ? { group, version, kind: own.kind } : own;
  const names = { ...gvk, verbs: recorded.verbs };
  if (gvk.kind === kind)
    return recorded.subresource === 'status' ? { ...names, ...statusSubresource } : names;
  const schema = lazily(() => builtinSchema(group, version, gvk));
  return {
    ...names,
    get schema(): ObjectSchema {
      return schema();
    },
  };
}

function storageOf(group: string, version: string, resource: string): StorageKind {
  const apiVersion = groupVersion({ group, version });
  return (
    cohabitants[`${apiVersion}/${resource}`] ?? {
      prefix: group === '' ? `/registry/${resource}/` : `/registry/${group}/${resource}/`,
      apiVersion,
      identity: true,
      fromStored: (object) => object,
      toStored: (object) => object,
    }
  );
}

const nameDescription =
  'Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names';

function withCell(column: RecordedColumn, cell: Cell = () => ''): TableColumn {
  return { ...column, description: column.name === 'Name' ? nameDescription : '', cell };
}

/** A copy of a recorded kind with an app's code added. Schemas stay lazy. */
export function extendKind(kind: ResourceKind, extension: KindExtension): ResourceKind {
  const { cells = {}, defaults, subresources = {}, strategy = {}, ...rest } = extension;
  const columns = kind.columns.map((column) => {
    const cell = cells[column.name];
    return cell === undefined ? column : { ...column, cell };
  });
  const merged = Object.entries(kind.subresources).map(([name, recorded]): [string, Subresource] => {
    const added = subresources[name];
    return [name, added === undefined ? recorded : lazyMerge(recorded, added)];
  });
  const schema = lazily(() =>
    defaults ? withDefaults(kind.schema, builtinDefaults(kind, defaults)) : kind.schema,
  );
  return lazyMerge(kind, {
    ...rest,
    get schema(): ObjectSchema {
      return schema();
    },
    columns,
    subresources: Object.fromEntries(merged),
    strategy: { ...kind.strategy, ...strategy },
  });
}

function withDefaults(schema: ObjectSchema, setDefaults: (object: JsonObject) => void): ObjectSchema {
  return {
    root: schema.root,
    prune: (object) => schema.prune(object),
    applyDefaults(object) {
      schema.applyDefaults(object);
      setDefaults(object);
    },
    validate: (object, old) => schema.validate(object, old),
  };
}

// A spread would run the getters of the schemas.
function lazyMerge<T extends object>(base: T, added: Partial<T>): T {
  return Object.defineProperties(
    {},
    { ...Object.getOwnPropertyDescriptors(base), ...Object.getOwnPropertyDescriptors(added) },
  ) as T;
}
