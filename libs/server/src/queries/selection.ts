import {
  type FieldSelector,
  type KubeObject,
  type LabelSelector,
  type Query,
  badRequest,
  parseFieldSelector,
  parseLabelSelector,
} from '@annex/machinery';
import { type ListOptions, readListOptions, validateListOptions } from './list-options.ts';
import { exactName, type ResourceKind } from '@annex/kinds';

/** The objects of a collection that a request selects. */
export interface Selection {
  matches(object: KubeObject): boolean;
  /** True if every object matches. */
  everything: boolean;
  /** The only name that can match, by the field selector. */
  name: string | undefined;
}

const all: Selection = { matches: () => true, everything: true, name: undefined };

/** The options and the selection of a list, a watch or a deletion of a collection. */
export interface CollectionRequest {
  options: ListOptions;
  chosen: Selection;
}

/**
 * Reads the options of a collection request in kube-apiserver's order: numbers, selectors, conflicting
 * options, unsupported field labels. Throws 400 and 422 with kube-apiserver's messages. `name` is the name in
 * the path, or in the selector.
 */
export function collectionRequest(
  kind: ResourceKind,
  query: Query,
  { watch, name }: { watch: boolean; name: string },
): CollectionRequest {
  const options = readListOptions(query, watch);
  const labels = parse(parseLabelSelector, options.labelSelector);
  const fields = parse(parseFieldSelector, options.fieldSelector);
  validateListOptions(options, watch);
  return { options, chosen: selection(kind, labels, fields, name) };
}

function selection(
  kind: ResourceKind,
  labels: LabelSelector,
  fields: FieldSelector,
  pathName: string,
): Selection {
  for (const { field } of fields.requirements) {
    if (!isSelectable(kind, field)) throw badRequest(unknownField(kind, field));
  }
  const name = exactName(fields) ?? (fields.empty && pathName !== '' ? pathName : undefined);
  if (pathName !== '' && name !== pathName) {
    throw badRequest("fieldSelector metadata.name doesn't match requested name");
  }
  if (labels.empty && fields.empty && name === undefined) return all;
  if (fields.empty && name === undefined)
    return { matches: ({ metadata }) => labels.matches(metadata.labels), everything: false, name };
  return {
    matches: (object) =>
      labels.matches(object.metadata.labels) &&
      (name === undefined || object.metadata.name === name) &&
      fields.matches((field) => valueOf(kind, object, field)),
    everything: false,
    name,
  };
}

/** Kinds with selectable fields support fewer metadata fields. */
function isSelectable(kind: ResourceKind, field: string): boolean {
  if (field === 'metadata.name' || kind.selectableFields.has(field)) return true;
  return field === 'metadata.namespace' && (kind.namespaced || !hasOwnFields(kind));
}

const hasOwnFields = (kind: ResourceKind): boolean => !kind.behavior.typed || kind.selectableFields.size > 0;

// kube-apiserver's error messages for an unknown field differ between custom resources and built-in kinds.
const unknownField = (kind: ResourceKind, field: string): string =>
  kind.unknownField?.(field) ??
  (hasOwnFields(kind)
    ? `field label not supported: ${field}`
    : `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`);

function valueOf(kind: ResourceKind, object: KubeObject, field: string): string {
  if (field === 'metadata.name') return object.metadata.name ?? '';
  if (field === 'metadata.namespace') return object.metadata.namespace ?? '';
  return kind.selectableFields.get(field)?.(object) ?? '';
}

function parse<T extends LabelSelector | FieldSelector>(parser: (text: string) => T, text: string): T {
  try {
    return parser(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw badRequest(why);
  }
}
