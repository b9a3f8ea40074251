import { type FieldError, fieldErrors, FieldPath, getOwn, type KubeObject } from '@annex/machinery';
import type { StatusValidation } from '../builtin-kind.ts';
import { childOf, nonNegative } from './checks.ts';

const { invalid } = fieldErrors;
const status = FieldPath.of('status');

/** The numbers of a status: which are not negative, and which are not greater than another. */
interface StatusNumbers {
  nonNegative: readonly string[];
  /** The field, the one that it does not exceed, and how kube-apiserver's message names the latter. */
  notAbove?: readonly (readonly [field: string, other: string, name: string])[];
}

/** Returns the validation of a status that is made of numbers. */
export const statusNumbers = (numbers: StatusNumbers): StatusValidation => ({
  validate: (updated, parent) => numberErrors(numbers, updated, parent),
});

function numberErrors(
  { nonNegative: names, notAbove = [] }: StatusNumbers,
  updated: KubeObject,
  parent: KubeObject,
): FieldError[] {
  const [now, before] = [childOf(updated, 'status'), childOf(parent, 'status')];
  const numberOf = (name: string): number => Number(getOwn(now, name) ?? 0);
  const errors = names.flatMap((name) => nonNegative(getOwn(now, name), status.child(name)));
  for (const [name, other, shown] of notAbove)
    if (numberOf(name) > numberOf(other))
      errors.push(invalid(status.child(name), getOwn(now, name), `cannot be greater than ${shown}`));
  // Controllers count collisions of names, and never forget one.
  if (before.collisionCount !== undefined && numberOf('collisionCount') < Number(before.collisionCount))
    errors.push(invalid(status.child('collisionCount'), numberOf('collisionCount'), 'cannot be decremented'));
  return errors;
}

const ofReplicas = (...names: string[]) =>
  names.map((name) => [name, 'replicas', 'status.replicas'] as const);

export const deploymentStatus = statusNumbers({
  nonNegative: [
    ...['observedGeneration', 'replicas', 'updatedReplicas', 'terminatingReplicas'],
    ...['readyReplicas', 'availableReplicas', 'unavailableReplicas', 'collisionCount'],
  ],
  notAbove: [
    ...ofReplicas('updatedReplicas', 'readyReplicas', 'availableReplicas'),
    ['availableReplicas', 'readyReplicas', 'readyReplicas'],
  ],
});

/** The status of ReplicaSets and ReplicationControllers. */
export const replicasStatus = statusNumbers({
  nonNegative: [
    ...['replicas', 'fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'],
    ...['observedGeneration', 'terminatingReplicas'],
  ],
  notAbove: [
    ...ofReplicas('fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'),
    ['availableReplicas', 'readyReplicas', 'readyReplicas'],
  ],
});

export const statefulSetStatus = statusNumbers({
  nonNegative: [
    ...['replicas', 'readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'],
    ...['observedGeneration', 'collisionCount'],
  ],
  notAbove: [
    ...ofReplicas('readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'),
    ['availableReplicas', 'readyReplicas', 'status.readyReplicas'],
  ],
});

export const daemonSetStatus = statusNumbers({
  nonNegative: [
    ...['currentNumberScheduled', 'numberMisscheduled', 'desiredNumberScheduled', 'numberReady'],
    ...['observedGeneration', 'updatedNumberScheduled', 'numberAvailable', 'numberUnavailable'],
    'collisionCount',
  ],
});
