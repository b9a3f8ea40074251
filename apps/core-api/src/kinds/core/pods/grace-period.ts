import { isObject, type JsonObject, type KubeObject } from '@annex/machinery';

/** Returns the seconds that a pod on a node has to end before its kubelet deletes it. Pods that do not run are deleted immediately. */
export function podGracePeriod(pod: KubeObject, requested: number | undefined): number {
  const { nodeName, terminationGracePeriodSeconds } = (isObject(pod.spec) ? pod.spec : {}) as JsonObject;
  const { phase } = (isObject(pod.status) ? pod.status : {}) as { phase?: string };
  if (!nodeName || phase === 'Failed' || phase === 'Succeeded') return 0;
  return requested ?? Number(terminationGracePeriodSeconds ?? 0);
}
