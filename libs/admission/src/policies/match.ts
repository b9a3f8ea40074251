import { compileLabelSelector, finishSoon, type Passes } from '@annex/machinery';
import { type AdmissionAttributes, pause } from '@annex/server';
import { type CompiledRules, compileRules, matchedKind } from '../rules.ts';
import { type FindNamespace, namespaceMatches, objectMatches } from '../selectors.ts';
import type { ResourceKind } from '@annex/kinds';
import type { MatchResources } from './policy-spec.ts';

/**
 * Returns the kind in whose version a request matches; `undefined` if it does not match. Throws if this
 * cannot be determined.
 */
export type MatchRequest = (attributes: AdmissionAttributes) => Promise<ResourceKind | undefined>;

/** Compiles the match of a policy or a binding, in passes. Source: MatchResources of the ValidatingAdmissionPolicy API. */
export function* compileMatch(match: MatchResources, find: FindNamespace): Passes<MatchRequest> {
  const namespaceSelector = compileLabelSelector(match.namespaceSelector ?? {});
  const objectSelector = compileLabelSelector(match.objectSelector ?? {});
  const { matchPolicy = 'Exact', resourceRules } = match;
  const rules = yield* compileRules(resourceRules);
  const excluded = yield* compileRules(match.excludeResourceRules);
  return async (attributes) => {
    if (!objectMatches(objectSelector, attributes)) return undefined;
    const kindOf = (compiled: CompiledRules) =>
      finishSoon(matchedKind(compiled, matchPolicy, attributes, attributes.equivalents), pause);
    if (excluded.size > 0 && (await kindOf(excluded)) !== undefined) return undefined;
    const kind = resourceRules?.length ? await kindOf(rules) : attributes.kind;
    if (kind === undefined || !(await namespaceMatches(namespaceSelector, attributes, find)))
      return undefined;
    return kind;
  };
}
