import {
  builtinStoragePrefix,
  lazily,
  getOwn,
  groupVersion,
  type JsonObject,
  type JsonValue,
  type KubeObject,
} from '@annex/machinery';
import type { ObjectSchema } from '@annex/schema';
import { type Cell, genericCells } from './cells.ts';
import { cohabitants } from './cohabitants.ts';
import {
  type RecordedColumn,
  type RecordedResource,
  type RecordedSubresource,
  recordedColumns,
  recordedGroupVersions,
} from './data.ts';
import type { TypeDefaults } from './defaults.ts';
import { builtinSchema } from './schema.ts';
import { combineStrategies, statusEndpoint, statusStrategy } from './status.ts';
import { builtinBehavior } from '../kind-behavior.ts';
import type { ResourceKind, StorageKind, TableColumn } from '../resource-kind.ts';
import type { MetaChecks, Strategy } from '../strategy.ts';
import type { Subresource } from '../subresource.ts';

/** The extension of a recorded kind by an app. */
export interface KindExtension {
  /** Defaults by type, in addition to those in the recorded schema. */
  defaults?: TypeDefaults;
  /** Returns the changed schema. */
  schema?(recorded: ObjectSchema): ObjectSchema;
  /** Combined with the default strategy; see {@link combineStrategies}. */
  strategy?: Strategy;
  /** Cells by the name of their column. Columns without a cell stay empty. */
  cells?: Readonly<Record<string, Cell>>;
  rowConditions?: ResourceKind['rowConditions'];
  rowOrder?: ResourceKind['rowOrder'];
  /** Added to the recorded subresource of that name. */
  subresources?: Readonly<Record<string, Partial<Subresource>>>;
  selectableFields?: ReadonlyMap<string, (object: KubeObject) => string>;
  unknownField?: ResourceKind['unknownField'];
  storage?: Partial<StorageKind>;
  deprecationWarning?: string;
}

/** The extension of one kind, by its group and its plural name in URLs. */
export interface ExtendedKind extends KindExtension {
  group: string;
  resource: string;
}

/**
 * Returns the recorded kinds of the accepted groups, in the order of kube-apiserver's discovery, with the
 * extensions of an app. Reads discovery and columns only; the schema of a kind is compiled at its first use.
 */
export function builtinKinds(
  accepts: (group: string) => boolean = () => true,
  extended: readonly ExtendedKind[] = [],
): ResourceKind[] {
  const extensions = new Map(extended.map((kind) => [`${kind.group}/${kind.resource}`, kind]));
  return recordedGroupVersions()
    .filter((gv) => accepts(gv.group))
    .flatMap((gv) =>
      gv.resources.map((recorded) =>
        builtinKind(gv.group, gv.version, recorded, extensions.get(`${gv.group}/${recorded.resource}`) ?? {}),
      ),
    );
}

/** The additional metadata checks of most kinds. */
const metaChecks: MetaChecks = { asUpdate: 1, asWhole: 1, standardFinalizers: true };

/** The additional metadata checks of most status endpoints. */
const statusMetaChecks: MetaChecks = { asUpdate: 1, asWhole: 0, standardFinalizers: true };

function builtinKind(
  group: string,
  version: string,
  recorded: RecordedResource,
  extension: KindExtension,
): ResourceKind {
  const kind = recorded.responseKind.kind;
  const schema = lazily(() => {
    const own = builtinSchema(group, version, { group, version, kind }, extension.defaults);
    return extension.schema?.(own) ?? own;
  });
  const subresources = recorded.subresources ?? [];
  const hasStatus = subresources.some((s) => s.subresource === 'status');
  const { strategy = {}, selectableFields = new Map(), deprecationWarning } = extension;
  const base: Strategy = hasStatus
    ? {
        metaChecks,
        ...statusStrategy(
          lazily(() => newStatus(schema())),
          strategy,
        ),
      }
    : { metaChecks };
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
    behavior: builtinBehavior,
    get schema(): ObjectSchema {
      return schema();
    },
    subresources: Object.fromEntries(
      subresources.map((s) => [s.subresource, builtinSubresource(group, version, kind, s, extension)]),
    ),
    columns: recordedColumns(groupVersion({ group, version }), recorded.resource).map((column) =>
      withCell(column, getOwn(extension.cells, column.name) ?? getOwn(genericCells, column.name)),
    ),
    ...(extension.rowConditions ? { rowConditions: extension.rowConditions } : {}),
    ...(extension.rowOrder ? { rowOrder: extension.rowOrder } : {}),
    strategy: combineStrategies(base, strategy),
    // Kinds that can only be created are not stored.
    ...(recorded.verbs.includes('list')
      ? { storage: { ...storageOf(group, version, recorded.resource), ...extension.storage } }
      : {}),
    selectableFields,
    ...(extension.unknownField ? { unknownField: extension.unknownField } : {}),
    ...(deprecationWarning === undefined ? {} : { deprecationWarning }),
  };
}

/** Returns the status of a new object: the defaults of an empty status. */
function newStatus(schema: ObjectSchema): JsonValue | undefined {
  const object: JsonObject = {};
  schema.applyDefaults(object);
  return object.status;
}

function builtinSubresource(
  group: string,
  version: string,
  kind: string,
  recorded: RecordedSubresource,
  extension: KindExtension,
): Subresource {
  const own = recorded.responseKind;
  const gvk = own.version === '' ? { group, version, kind: own.kind } : own;
  const names = {
    ...gvk,
    verbs: recorded.verbs,
    ...(recorded.subresource === 'status' ? { metaChecks: statusMetaChecks, ...statusEndpoint() } : {}),
    ...getOwn(extension.subresources, recorded.subresource),
  };
  if (gvk.kind === kind) return names;
  const schema = lazily(() => builtinSchema(group, version, gvk, extension.defaults));
  return Object.defineProperty(names, 'schema', { get: schema, enumerable: true, configurable: true });
}

function storageOf(group: string, version: string, resource: string): StorageKind {
  const apiVersion = groupVersion({ group, version });
  return (
    cohabitants[`${apiVersion}/${resource}`] ?? {
      prefix: builtinStoragePrefix(group, resource),
      apiVersion,
      identity: true,
      fromStored: (object) => object,
      toStored: (object) => object,
    }
  );
}

function withCell(column: RecordedColumn, cell: Cell = () => ''): TableColumn {
  return { ...column, cell };
}

/** The columns of kinds without special columns: name and creation time. */
export const defaultColumns = lazily((): readonly TableColumn[] =>
  recordedColumns('v1', 'limitranges').map((column) => withCell(column, getOwn(genericCells, column.name))),
);

/** Returns a kind in a retired version: the recorded kind with another schema and its extension. */
export function retiredKind(kind: ResourceKind, version: string, extension: KindExtension): ResourceKind {
  const retired = builtinKind(kind.group, version, recordedResource(kind), extension);
  retired.columns = kind.columns;
  return retired;
}

function recordedResource({ group, version, resource }: ResourceKind): RecordedResource {
  const found = recordedGroupVersions()
    .find((gv) => gv.group === group && gv.version === version)
    ?.resources.find((recorded) => recorded.resource === resource);
  if (found === undefined) throw new Error(`${resource}.${group} is not a recorded kind`);
  return found;
}
