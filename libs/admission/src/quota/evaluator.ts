import type { KubeObject } from '@annex/machinery';
import type { ResourceList } from './resource-list.ts';

/** One condition on the objects that a quota counts. */
export interface ScopeRequirement {
  scopeName: string;
  operator: string;
  values?: readonly string[];
}

/** The parts of a write that quotas measure. */
export interface MeasuredWrite {
  operation: 'CREATE' | 'UPDATE';
  subresource: string;
  object: KubeObject;
  /** Absent for CREATE. */
  oldObject?: KubeObject;
}

/** Measures the usage of the objects of one resource. */
export interface QuotaEvaluator {
  readonly group: string;
  readonly resource: string;
  /** All objects have the same usage and no scopes, so that their number is sufficient. */
  readonly uniform?: true;
  /** Returns whether a write can increase the usage. */
  handles(write: MeasuredWrite): boolean;
  /** Returns whether this evaluator measures an amount of that name. */
  measures(name: string): boolean;
  /** Returns the usage of the object; `now` is milliseconds since the epoch. */
  usage(object: KubeObject, now: number): ResourceList;
  /** Returns whether the object matches the scope condition. Kinds without scopes match none. */
  inScope(object: KubeObject, requirement: ScopeRequirement): boolean;
  /** Returns the error for amounts that are limited and that the object does not specify. */
  missing?(object: KubeObject, names: readonly string[]): string | undefined;
  /** Returns whether a change of a stored object can decrease the usage. */
  frees?(object: KubeObject, previous: KubeObject, now: number): boolean;
}

/** Returns the name of the generic object count of a resource. */
export const countName = (group: string, resource: string): string =>
  group === '' ? `count/${resource}` : `count/${resource}.${group}`;

/** Returns whether a value, or its absence, matches a condition. */
export function matchesValue(
  { operator, values = [] }: ScopeRequirement,
  value: string | undefined,
): boolean {
  const named = value !== undefined && values.includes(value);
  if (operator === 'In') return named;
  if (operator === 'NotIn') return !named;
  return (operator === 'Exists') === (value !== undefined);
}
