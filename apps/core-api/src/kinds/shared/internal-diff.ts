import { internalValue } from '@annex/kinds';
import { escapedJson, goLineDiff, hasManyParts, type JsonValue } from '@annex/machinery';

/**
 * Returns the difference of two values of v1 that kube-apiserver appends to an error: that of its internal types, as JSON. Empty for values with very many
 * parts or changes, because finding it would take too long.
 */
export function internalDiff(
  type: string,
  before: JsonValue | undefined,
  after: JsonValue | undefined,
): string {
  if (hasManyParts(before) || hasManyParts(after)) return '';
  const [old, now] = [before, after].map((value) => escapedJson(internalValue(type)(value), 1));
  return goLineDiff(old!, now!) ?? '';
}
