import { compileLabelSelector } from '@annex/machinery';
import type { AdmissionAttributes } from '@annex/server';
import { matchedKind } from '../rules.ts';
import { type FindNamespace, namespaceMatches, objectMatches } from '../selectors.ts';
import type { ResourceKind } from '@annex/kinds';
import type { MatchResources } from './policy-spec.ts';

/**
 * Returns the kind in whose version a request matches; `undefined` if it does not match. Throws if this
 * cannot be determined.
 */
export type MatchRequest = (attributes: AdmissionAttributes) => Promise<ResourceKind | undefined>;

/** Compiles the match of a policy or a binding. Source: MatchResources of the ValidatingAdmissionPolicy API. */
export function compileMatch(match: MatchResources, find: FindNamespace): MatchRequest {
  const namespaceSelector = compileLabelSelector(match.namespaceSelector ?? {});
  const objectSelector = compileLabelSelector(match.objectSelector ?? {});
  const { matchPolicy, resourceRules, excludeResourceRules } = match;
  return async (attributes) => {
    if (!objectMatches(objectSelector, attributes)) return undefined;
    const kindOf = (rules: MatchResources['resourceRules']) =>
      matchedKind(
        { rules: rules ?? [], matchPolicy: matchPolicy ?? 'Exact' },
        attributes,
        attributes.equivalents,
      );
    if (kindOf(excludeResourceRules) !== undefined) return undefined;
    const kind = resourceRules?.length ? kindOf(resourceRules) : attributes.kind;
    if (kind === undefined || !(await namespaceMatches(namespaceSelector, attributes, find)))
      return undefined;
    return kind;
  };
}
