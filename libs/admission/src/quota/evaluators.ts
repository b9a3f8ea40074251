import type { QuotaEvaluator } from './evaluator.ts';
import { objectCount } from './object-count.ts';
import { pods } from './pods.ts';
import { resourceClaims } from './resource-claims.ts';
import { services } from './services.ts';
import { volumeClaims } from './volume-claims.ts';

const keyOf = ({ group, resource }: { group: string; resource: string }): string =>
  group === '' ? resource : `${resource}.${group}`;

/** The resources with more amounts than their number, or with a former name of that amount. */
const known = new Map(
  [
    pods,
    services,
    volumeClaims,
    resourceClaims,
    ...['configmaps', 'resourcequotas', 'replicationcontrollers', 'secrets'].map((resource) =>
      objectCount('', resource, resource),
    ),
  ].map((evaluator) => [keyOf(evaluator), evaluator]),
);

/** Resources without quota: events, and kinds that are not stored. */
const ignored = new Set(['events', 'events.events.k8s.io', 'bindings', 'componentstatuses']);

/** Returns the evaluator of a resource; `undefined` for resources that no quota counts. */
export function quotaEvaluator(group: string, resource: string): QuotaEvaluator | undefined {
  const key = keyOf({ group, resource });
  if (ignored.has(key)) return undefined;
  let evaluator = known.get(key);
  if (evaluator === undefined) known.set(key, (evaluator = objectCount(group, resource)));
  return evaluator;
}
