import { CompiledRule, type RbacRole, uncoveredRules } from '@annex/auth';
import { deepEqual, finish, type KubeObject } from '@annex/machinery';
import { isProtected, reconciledMetadata } from './reconciled-metadata.ts';

/** Returns the role with the expected rules added; the same object if nothing is missing. */
export function reconciledRole(existing: KubeObject, expected: KubeObject): KubeObject {
  if (isProtected(existing)) return existing;
  const own = (existing as RbacRole).rules ?? [];
  const wanted = (expected as RbacRole).rules ?? [];
  const compiled = () => own.map((rule) => new CompiledRule(rule));
  const missing = deepEqual(own, wanted) ? [] : finish(uncoveredRules(compiled(), wanted));
  const aggregation = mergedAggregation(existing.aggregationRule, expected.aggregationRule);
  const metadata = reconciledMetadata(existing, expected);
  if (
    missing.length === 0 &&
    metadata === existing.metadata &&
    deepEqual(existing.aggregationRule, aggregation)
  ) {
    return existing;
  }
  const { aggregationRule: _, ...rest } = existing;
  return {
    ...rest,
    metadata,
    ...(missing.length > 0 ? { rules: [...own, ...missing] } : {}),
    ...(aggregation === undefined ? {} : { aggregationRule: aggregation }),
  };
}

interface AggregationRule {
  clusterRoleSelectors?: unknown[];
}

/** Returns the selectors of an expected aggregated role, merged with those of users; none if the role is not expected to aggregate. */
function mergedAggregation(existing: unknown, expected: unknown): AggregationRule | undefined {
  if (expected === undefined) return undefined;
  const own = (existing as AggregationRule | undefined)?.clusterRoleSelectors ?? [];
  const wanted = (expected as AggregationRule).clusterRoleSelectors ?? [];
  const missing = wanted.filter((selector) => !own.some((other) => deepEqual(other, selector)));
  return { clusterRoleSelectors: [...own, ...missing] };
}
