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

/** Which objects of a collection a request means. */
export interface Selection {
  matches(object: KubeObject): boolean;
  /** True where every object matches. */
  everything: boolean;
  /** The one name that can match, where the field selector says so. */
  name: string | undefined;
}

const all: Selection = { matches: () => true, everything: true, name: undefined };

/** What a list, a watch or a deletion of a collection asks for. */
export interface CollectionRequest {
  options: ListOptions;
  chosen: Selection;
}

/**
 * Reads what a request asks of a collection, in kube's order: numbers, selectors, options that do not fit together,
 * fields that cannot be selected by. Throws 400 and 422 with kube's texts. `name` is that of the path, or of the selector.
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
  return {
    matches: (object) =>
      labels.matches(object.metadata.labels) &&
      (name === undefined || object.metadata.name === name) &&
      fields.matches((field) => valueOf(kind, object, field)),
    everything: false,
    name,
  };
}

/** Kinds that know fields of their own do not take every field of metadata. */
function isSelectable(kind: ResourceKind, field: string): boolean {
  if (field === 'metadata.name' || kind.selectableFields.has(field)) return true;
  return field === 'metadata.namespace' && (kind.namespaced || !hasOwnFields(kind));
}

const hasOwnFields = (kind: ResourceKind): boolean => !kind.behavior.typed || kind.selectableFields.size > 0;

// Custom resources and built-in kinds name an unknown field each in its own words.
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
