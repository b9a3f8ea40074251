import type { Client } from '@annex/client';
import { formatTime, isReason, type KubeObject } from '@annex/machinery';

interface Pod extends KubeObject {
  spec: { nodeName?: string; restartPolicy: string };
  status: { phase: string };
}

/**
 * Acts as a kubelet for the Pods of a Node: sets their status to running, or to completed if they do not restart, and removes those that
 * are being deleted. Runs until the signal aborts.
 */
export async function actAsKubelet(api: Client, node: string, signal: AbortSignal): Promise<void> {
  for await (const { type, object: pod } of api.watch<Pod>('/api/v1/pods', { signal })) {
    if (type === 'DELETED' || pod.spec.nodeName !== node) continue;
    try {
      if (pod.metadata.deletionTimestamp !== undefined) await removeDeleted(api, pod);
      else if (pod.status.phase === 'Pending') await start(api, pod);
    } catch (error) {
      // A concurrent write was faster.
      if (!isReason(error, 'NotFound') && !isReason(error, 'Conflict')) throw error;
    }
  }
}

const pathOf = ({ metadata }: Pod): string =>
  `/api/v1/namespaces/${metadata.namespace}/pods/${metadata.name}`;

const removeDeleted = (api: Client, pod: Pod) =>
  api.json({
    method: 'DELETE',
    path: pathOf(pod),
    body: { gracePeriodSeconds: 0, preconditions: { uid: pod.metadata.uid } },
  });

function start(api: Client, pod: Pod) {
  const runs = pod.spec.restartPolicy === 'Always';
  const status = {
    phase: runs ? 'Running' : 'Succeeded',
    podIP: '10.1.0.1',
    podIPs: [{ ip: '10.1.0.1' }],
    conditions: [
      { type: 'Ready', status: runs ? 'True' : 'False', lastTransitionTime: formatTime(Date.now()) },
    ],
  };
  const headers = { 'content-type': 'application/merge-patch+json' };
  return api.json({ method: 'PATCH', path: `${pathOf(pod)}/status`, headers, body: { status } });
}
