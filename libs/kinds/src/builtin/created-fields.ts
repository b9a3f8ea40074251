import {
  formatTime,
  isObject,
  type JsonObject,
  type JsonValue,
  type KubeObject,
  type ManagedFieldsEntry,
} from '@annex/machinery';

/** A component of the server that creates objects of built-in kinds. */
interface Creator {
  manager: string;
  /** Milliseconds since the epoch. */
  now: number;
}

/** Members that are structs in Go: nobody owns them, only their members. */
const structs: ReadonlySet<string> = new Set(['spec', 'priorityLevelConfiguration']);
const notOwned: ReadonlySet<string> = new Set(['kind', 'apiVersion', 'metadata', 'status']);

/**
 * Returns a new object whose fields the creator manages: its labels, its annotations, and all of `owned`, by default the object without its
 * status. Other managers stay. Needs no schema, which takes too long at a start; so lists are owned as a whole.
 */
export function withCreator(
  object: KubeObject,
  { manager, now }: Creator,
  owned: JsonObject = fieldsOf(object),
): KubeObject {
  const { labels, annotations } = object.metadata;
  const metadata = membersOf({ ...(annotations && { annotations }), ...(labels && { labels }) });
  const entry: ManagedFieldsEntry = {
    manager,
    operation: 'Update',
    apiVersion: object.apiVersion ?? '',
    time: formatTime(now),
    fieldsType: 'FieldsV1',
    fieldsV1: { ...owned, ...(Object.keys(metadata).length > 0 && { 'f:metadata': metadata }) },
  };
  const managedFields = [...(object.metadata.managedFields ?? []), entry];
  return { ...object, metadata: { ...object.metadata, managedFields } };
}

const fieldsOf = (object: KubeObject): JsonObject =>
  membersOf(
    Object.fromEntries(
      Object.entries(object).filter(([name]) => !notOwned.has(name)),
    ) as unknown as JsonObject,
  );

const membersOf = (object: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [`f:${name}`, setOf(name, value)]));

function setOf(name: string, value: JsonValue): JsonObject {
  if (!isObject(value)) return {};
  return structs.has(name) ? membersOf(value) : { '.': {}, ...membersOf(value) };
}
