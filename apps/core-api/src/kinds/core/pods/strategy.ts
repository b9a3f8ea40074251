import type { KubeObject } from '@annex/machinery';
import { childOf } from '../../shared/checks.ts';
import type { BuiltinKind } from '../../builtin-kind.ts';
import { podGracePeriod } from './grace-period.ts';
import { qosClass } from './quality-of-service.ts';

/** A pod is pending until a kubelet reports its status. */
const newStatus = (pod: KubeObject) => ({ phase: 'Pending', qosClass: qosClass(childOf(pod, 'spec')) });

export const podStrategy: BuiltinKind['strategy'] = {
  allowUnconditionalUpdate: true,
  generation: true,
  returnsDeleted: true,
  prepareForCreate(pod) {
    pod.status = newStatus(pod);
    const spec = childOf(pod, 'spec');
    // As in kube-apiserver, a negative period is one second.
    if (Number(spec.terminationGracePeriodSeconds) < 0) spec.terminationGracePeriodSeconds = 1;
  },
  gracePeriod: podGracePeriod,
};
