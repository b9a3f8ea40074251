import { isObject, type JsonObject, type KubeObject } from '@annex/machinery';

/** A pod on a node is given time to end: whoever runs it deletes it at last. One that does not run goes at once. */
export function podGracePeriod(pod: KubeObject, asked: number | undefined): number {
  const { nodeName, terminationGracePeriodSeconds } = (isObject(pod.spec) ? pod.spec : {}) as JsonObject;
  const { phase } = (isObject(pod.status) ? pod.status : {}) as { phase?: string };
  if (!nodeName || phase === 'Failed' || phase === 'Succeeded') return 0;
  return asked ?? Number(terminationGracePeriodSeconds ?? 0);
}
