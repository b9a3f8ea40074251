import { randomUUID } from 'node:crypto';
import { type RbacBinding, rbacPrefixes, type RbacRole, type RbacSubject, uncoveredRules } from '@annex/auth';
import { deepEqual, formatTime, type KubeObject } from '@annex/machinery';
import { encodeStored, type ServerDeps } from '@annex/server';
import { StoreError } from '@annex/storage';
import { bootstrapPolicy, type PolicyObject } from './bootstrap-policy.ts';

/** Set to `false` on a role or binding, it stays as it is. */
const autoUpdate = 'rbac.authorization.kubernetes.io/autoupdate';

/**
 * Makes the default roles and bindings that are missing, and adds the rules and subjects that others lack, all at once.
 * What somebody added to them stays.
 */
export async function reconcilePolicy(deps: ServerDeps): Promise<void> {
  const prefixes = Object.values(rbacPrefixes);
  await Promise.all(prefixes.map((prefix) => deps.feed.objects(prefix).waitFor()));
  await Promise.all((await bootstrapPolicy()).map((expected) => reconcile(deps, prefixes, expected)));
}

async function reconcile(
  deps: ServerDeps,
  prefixes: readonly string[],
  expected: PolicyObject,
): Promise<void> {
  const { key, object } = expected;
  const prefix = prefixes.find((candidate) => key.startsWith(candidate)) as string;
  const found = deps.feed.objects(prefix).get(key);
  try {
    if (found === undefined) {
      await deps.store.create(key, encodeStored(withIdentity(object, deps)));
      return;
    }
    const existing = found.value.object;
    const reconciled =
      'roleRef' in object ? reconciledBinding(existing, object, deps) : reconciledRole(existing, object);
    if (reconciled !== existing) await deps.store.update(key, encodeStored(reconciled), found.modRevision);
  } catch (error) {
    // Another replica was faster, and wants the same.
    if (!(error instanceof StoreError && ['exists', 'conflict', 'notFound'].includes(error.code)))
      throw error;
  }
}

const withIdentity = (object: KubeObject, { clock }: ServerDeps): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, uid: randomUUID(), creationTimestamp: formatTime(clock.now()) },
});

/** The role with the expected rules beside its own; the same object where nothing is missing. */
export function reconciledRole(existing: KubeObject, expected: KubeObject): KubeObject {
  if (isProtected(existing)) return existing;
  const own = (existing as RbacRole).rules ?? [];
  const wanted = (expected as RbacRole).rules ?? [];
  const missing = deepEqual(own, wanted) ? [] : uncoveredRules(own, wanted);
  const aggregation = mergedAggregation(existing.aggregationRule, expected.aggregationRule);
  const metadata = mergedMetadata(existing, expected);
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
    ...(aggregation === undefined ? {} : { aggregationRule: aggregation }),
    rules: [...own, ...missing],
  };
}

interface AggregationRule {
  clusterRoleSelectors?: unknown[];
}

/** The selectors of a role that is expected to aggregate, beside those somebody added; none where it is not. */
function mergedAggregation(existing: unknown, expected: unknown): AggregationRule | undefined {
  if (expected === undefined) return undefined;
  const own = (existing as AggregationRule | undefined)?.clusterRoleSelectors ?? [];
  const wanted = (expected as AggregationRule).clusterRoleSelectors ?? [];
  const missing = wanted.filter((selector) => !own.some((other) => deepEqual(other, selector)));
  return { clusterRoleSelectors: [...own, ...missing] };
}

/** The binding with the expected subjects beside its own; made anew where it binds another role. */
export function reconciledBinding(existing: KubeObject, expected: KubeObject, deps: ServerDeps): KubeObject {
  if (isProtected(existing)) return existing;
  const { roleRef, subjects } = expected as RbacBinding;
  if (!deepEqual((existing as RbacBinding).roleRef, roleRef)) return withIdentity(expected, deps);
  const own = (existing as RbacBinding).subjects ?? [];
  const missing = (subjects ?? []).filter((subject) => !own.some((other) => sameSubject(other, subject)));
  const metadata = mergedMetadata(existing, expected);
  if (missing.length === 0 && metadata === existing.metadata) return existing;
  return { ...existing, metadata, subjects: [...own, ...missing] };
}

const sameSubject = (a: RbacSubject, b: RbacSubject): boolean =>
  (['kind', 'apiGroup', 'namespace', 'name'] as const).every(
    (field) => (a[field] ?? '') === (b[field] ?? ''),
  );

const isProtected = ({ metadata }: KubeObject): boolean => metadata.annotations?.[autoUpdate] === 'false';

/** Labels and annotations that are expected are added where they are absent. */
function mergedMetadata({ metadata }: KubeObject, expected: KubeObject): KubeObject['metadata'] {
  const labels = { ...expected.metadata.labels, ...metadata.labels };
  const annotations = { ...expected.metadata.annotations, ...metadata.annotations };
  const complete =
    deepEqual(labels, metadata.labels ?? {}) && deepEqual(annotations, metadata.annotations ?? {});
  return complete ? metadata : { ...metadata, labels, annotations };
}
