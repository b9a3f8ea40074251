import { internalValue } from '@annex/kinds';
import { countParts, escapedJson, goLineDiff, type JsonValue } from '@annex/machinery';

/** The difference of larger values is not searched for. */
export const maxComparedParts = 1_000;

const isLarge = (value: JsonValue | undefined): boolean =>
  countParts(value, maxComparedParts) > maxComparedParts;

/**
 * Returns the difference of two values of v1 that kube-apiserver appends to an error: that of its internal types, as JSON. Empty for values with very many
 * parts or changes, because finding it would take too long.
 */
export function internalDiff(
  type: string,
  before: JsonValue | undefined,
  after: JsonValue | undefined,
): string {
  if (isLarge(before) || isLarge(after)) return '';
  const [old, now] = [before, after].map((value) => escapedJson(internalValue(type)(value), 1));
  return goLineDiff(old!, now!) ?? '';
}
