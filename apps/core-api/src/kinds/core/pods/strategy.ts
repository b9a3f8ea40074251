import type { KubeObject } from '@annex/machinery';
import type { ServerDeps } from '@annex/server';
import { childOf } from '../../shared/checks.ts';
import type { BuiltinKind } from '../../builtin-kind.ts';
import { podGracePeriod } from './grace-period.ts';
import { gatedConditions, mergeLabelKeys } from './new-pod.ts';
import { qosClass } from './quality-of-service.ts';

/** A pod is pending until a kubelet reports its status. */
function newStatus(pod: KubeObject, now: number) {
  const spec = childOf(pod, 'spec');
  const conditions = gatedConditions(spec, now);
  return { phase: 'Pending', ...(conditions.length > 0 && { conditions }), qosClass: qosClass(spec) };
}

/** As in kube-apiserver, a negative period is one second. */
function limitGracePeriod(pod: KubeObject): void {
  const spec = childOf(pod, 'spec');
  if (Number(spec.terminationGracePeriodSeconds) < 0) spec.terminationGracePeriodSeconds = 1;
}

export const podStrategy = ({ clock }: Pick<ServerDeps, 'clock'>): BuiltinKind['strategy'] => ({
  allowUnconditionalUpdate: true,
  generation: true,
  returnsDeleted: true,
  prepareForCreate(pod) {
    pod.status = newStatus(pod, clock.now());
    mergeLabelKeys(pod);
    limitGracePeriod(pod);
  },
  prepareForUpdate: limitGracePeriod,
  gracePeriod: podGracePeriod,
});
