import {
  type FieldSelector,
  type KubeObject,
  type LabelSelector,
  badRequest,
  parseFieldSelector,
  parseLabelSelector,
} from '@annex/machinery';
import { exactName } from './request-info.ts';
import type { ResourceKind } from './resource-kind.ts';

/** Which objects of a collection a request means. */
export interface Selection {
  matches(object: KubeObject): boolean;
  /** True where every object matches. */
  everything: boolean;
  /** The one name that can match, where the field selector says so. */
  name: string | undefined;
}

const all: Selection = { matches: () => true, everything: true, name: undefined };

/** Compiles the selectors of a request. Throws 400 with kube's texts. */
export function selection(kind: ResourceKind, labelSelector: string, fieldSelector: string): Selection {
  if (labelSelector === '' && fieldSelector === '') return all;
  const labels = parse(parseLabelSelector, labelSelector);
  const fields = parse(parseFieldSelector, fieldSelector);
  for (const { field } of fields.requirements) {
    if (field !== 'metadata.name' && field !== 'metadata.namespace' && !kind.selectableFields.has(field)) {
      throw badRequest(unknownField(kind, field));
    }
  }
  return {
    matches: (object) =>
      labels.matches(object.metadata.labels) && fields.matches((field) => valueOf(kind, object, field)),
    everything: labels.empty && fields.empty,
    name: exactName(fields),
  };
}

// Custom resources and built-in kinds name an unknown field each in its own words.
const unknownField = (kind: ResourceKind, field: string): string =>
  kind.custom || kind.selectableFields.size > 0
    ? `field label not supported: ${field}`
    : `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`;

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
