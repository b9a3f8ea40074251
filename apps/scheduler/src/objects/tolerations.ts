import type { Taint } from './node.ts';
import type { Toleration } from './pod.ts';

/** Returns whether a toleration tolerates a taint. */
export function tolerates(toleration: Toleration, taint: Taint): boolean {
  const { key = '', operator = 'Equal', value = '', effect = '' } = toleration;
  if (effect !== '' && effect !== taint.effect) return false;
  if (key !== '' && key !== taint.key) return false;
  if (operator === 'Exists') return true;
  // An empty operator means Equal.
  return (operator === 'Equal' || operator === '') && key !== '' && value === (taint.value ?? '');
}

export const isTolerated = (tolerations: readonly Toleration[], taint: Taint): boolean =>
  tolerations.some((toleration) => tolerates(toleration, taint));

/** Returns whether taints keep a Pod from being scheduled to their node. */
export const isRepelled = (tolerations: readonly Toleration[], taints: readonly Taint[]): boolean =>
  taints.some(
    (taint) =>
      (taint.effect === 'NoSchedule' || taint.effect === 'NoExecute') && !isTolerated(tolerations, taint),
  );
