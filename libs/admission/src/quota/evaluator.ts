import type { KubeObject } from '@annex/machinery';
import type { ResourceList } from './resource-list.ts';

/** One condition on the objects that a quota counts. */
export interface ScopeRequirement {
  scopeName: string;
  operator: string;
  values?: readonly string[];
}

/** A write, as far as quotas care. */
export interface MeasuredWrite {
  operation: 'CREATE' | 'UPDATE';
  subresource: string;
  object: KubeObject;
  /** Absent for CREATE. */
  oldObject?: KubeObject;
}

/** Measures what the objects of one resource use of what quotas limit. */
export interface QuotaEvaluator {
  readonly group: string;
  readonly resource: string;
  /** All objects use the same, and are in no scope: it is enough to know how many there are. */
  readonly uniform?: true;
  /** Whether a write may use more than before. */
  handles(write: MeasuredWrite): boolean;
  /** Whether an amount of that name is measured here. */
  measures(name: string): boolean;
  /** All that the object uses; `now` is milliseconds since the epoch. */
  usage(object: KubeObject, now: number): ResourceList;
  /** Whether the object is one that the condition speaks of. Kinds without scopes are in none. */
  inScope(object: KubeObject, requirement: ScopeRequirement): boolean;
  /** What the object must say and does not, where these amounts are limited. */
  missing?(object: KubeObject, names: readonly string[]): string | undefined;
  /** Whether a change of a stored object may free something. */
  frees?(object: KubeObject, previous: KubeObject, now: number): boolean;
}

/** The name under which the objects of a resource are counted, whatever they are. */
export const countName = (group: string, resource: string): string =>
  group === '' ? `count/${resource}` : `count/${resource}.${group}`;

/** Whether a value, or none, is one that the condition speaks of. */
export function matchesValue(
  { operator, values = [] }: ScopeRequirement,
  value: string | undefined,
): boolean {
  const named = value !== undefined && values.includes(value);
  if (operator === 'In') return named;
  if (operator === 'NotIn') return !named;
  return (operator === 'Exists') === (value !== undefined);
}
