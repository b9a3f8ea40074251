import { compileLabelSelector } from '@annex/machinery';
import type { AdmissionRequest } from '@annex/server';
import { matchedKind } from '../rules.ts';
import { type FindNamespace, namespaceMatches, objectMatches } from '../selectors.ts';
import type { ResourceKind } from '@annex/kinds';
import type { MatchResources } from './policy-spec.ts';

/** Says in the version of which kind a request is matched; `undefined` where it is not. Throws where that cannot be known. */
export type MatchRequest = (request: AdmissionRequest) => Promise<ResourceKind | undefined>;

/** Compiles the match of a policy or a binding. Source: MatchResources of the ValidatingAdmissionPolicy API. */
export function compileMatch(match: MatchResources, find: FindNamespace): MatchRequest {
  const namespaceSelector = compileLabelSelector(match.namespaceSelector ?? {});
  const objectSelector = compileLabelSelector(match.objectSelector ?? {});
  const { matchPolicy, resourceRules, excludeResourceRules } = match;
  return async (request) => {
    if (!objectMatches(objectSelector, request)) return undefined;
    const kindOf = (rules: MatchResources['resourceRules']) =>
      matchedKind({ rules: rules ?? [], matchPolicy: matchPolicy ?? 'Exact' }, request, request.equivalents);
    if (kindOf(excludeResourceRules) !== undefined) return undefined;
    const kind = resourceRules?.length ? kindOf(resourceRules) : request.kind;
    if (kind === undefined || !(await namespaceMatches(namespaceSelector, request, find))) return undefined;
    return kind;
  };
}
