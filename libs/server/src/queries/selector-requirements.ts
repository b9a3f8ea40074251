import { parseFieldSelector, parseLabelSelector } from '@annex/machinery';
import type { Attributes } from '@annex/auth';

/**
 * Returns the requirements of the selectors, for authorizers. Invalid selectors are omitted: the request is
 * then authorized for all objects, and its handler refuses the selector.
 */
export function readSelectors({
  fieldSelector,
  labelSelector,
}: {
  fieldSelector: string;
  labelSelector: string;
}): Pick<Attributes, 'fieldSelector' | 'labelSelector'> {
  const fields = requirements(parseFieldSelector, fieldSelector);
  const labels = requirements(parseLabelSelector, labelSelector);
  return { ...(fields ? { fieldSelector: fields } : {}), ...(labels ? { labelSelector: labels } : {}) };
}

function requirements<T>(parse: (text: string) => { requirements: readonly T[] }, text: string) {
  try {
    const found = parse(text).requirements;
    return found.length > 0 ? found : undefined;
  } catch {
    return undefined;
  }
}
