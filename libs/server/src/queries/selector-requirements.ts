import { parseFieldSelector, parseLabelSelector } from '@annex/machinery';
import type { Attributes } from '@annex/auth';

/**
 * What selectors require, for authorizers. Those that cannot be read are left out: the request is then authorized for
 * everything, and refused later for its selector.
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
