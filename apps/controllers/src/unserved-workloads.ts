import { formatTime, isReason, type KubeObject, parseTime } from '@annex/machinery';
import type { Timer } from '@annex/runtime';
import { isNamespaceTerminating } from './api.ts';
import type { Controller, ControllerDeps } from './controller.ts';
import { WorkQueue } from './work-queue.ts';

/** Events of one process. */
export const maxWorkloadHints = 100;

/** Milliseconds that a controller has to observe a workload. */
const patienceMs = 10_000;

/** Milliseconds after which workloads are watched: nothing is late, and the start of the server has no more to do. */
const startDelayMs = 5_000;

/** The kinds of workloads, with their resources. */
const kinds: ReadonlyMap<string, { apiVersion: string; path: string; resource: string }> = new Map(
  (
    [
      ['Deployment', 'apps/v1', 'deployments'],
      ['StatefulSet', 'apps/v1', 'statefulsets'],
      ['DaemonSet', 'apps/v1', 'daemonsets'],
      ['ReplicaSet', 'apps/v1', 'replicasets'],
      ['Job', 'batch/v1', 'jobs'],
    ] as const
  ).map(([kind, apiVersion, resource]) => [
    kind,
    { apiVersion, resource, path: `/apis/${apiVersion}/${resource}` },
  ]),
);

interface Workload extends KubeObject {
  spec?: { managedBy?: string };
  status?: { observedGeneration?: number; startTime?: string; conditions?: unknown[] };
}

/** Tells the creator of a workload which program is missing, by one Warning event, if no controller has observed the workload for a while. */
export function unservedWorkloads(deps: ControllerDeps): Controller {
  const { api, clock, log } = deps;
  const informers = [...kinds].map(([kind, { path }]) =>
    api.informer<KubeObject>(
      path,
      { added: (object) => later(kind, object) },
      { metadataOnly: true, keep: onlyNamed },
    ),
  );
  let left = maxWorkloadHints;
  const queue = new WorkQueue<string>(
    {
      name: 'unserved_workloads',
      workers: 1,
      async work(key) {
        const [kind = '', namespace = '', name = ''] = key.split('/');
        const found = kinds.get(kind);
        if (left === 0 || found === undefined) return;
        const path = `/apis/${found.apiVersion}/namespaces/${namespace}/${found.resource}/${name}`;
        const workload = await api.find<Workload>(path);
        if (workload === undefined || isServed(workload)) return;
        left--;
        log.info('no controller has observed a workload', { kind, namespace, name });
        await createEvent(deps, { ...workload, apiVersion: found.apiVersion, kind });
      },
    },
    deps,
  );
  function later(kind: string, { metadata }: KubeObject): void {
    if (left === 0 || queue.waiting >= maxWorkloadHints) return;
    const created = parseTime(metadata.creationTimestamp ?? '') ?? clock.now();
    queue.addAfter(`${kind}/${metadata.namespace}/${metadata.name}`, created + patienceMs - clock.now());
  }
  let delay: Timer | undefined;
  return {
    start() {
      delay = clock.setTimeout(() => {
        for (const informer of informers) void informer.start();
        queue.start();
      }, startDelayMs);
    },
    async stop() {
      delay?.cancel();
      await Promise.all([queue.stop(), ...informers.map((informer) => informer.stop())]);
    },
  };
}

const onlyNamed = ({ metadata }: KubeObject): KubeObject => {
  const { name, namespace, creationTimestamp, resourceVersion } = metadata;
  return { metadata: { name, namespace, creationTimestamp, resourceVersion } } as KubeObject;
};

/** True if a controller has seen the workload, or is responsible for it. */
function isServed({ metadata, spec, status = {} }: Workload): boolean {
  const isOwned = metadata.ownerReferences?.some(({ controller }) => controller) ?? false;
  const isObserved = status.observedGeneration !== undefined || status.startTime !== undefined;
  return isOwned || isObserved || (status.conditions ?? []).length > 0 || spec?.managedBy !== undefined;
}

/** The name of the event is that of the object, so that it is written once, also by other processes. */
async function createEvent(
  { api, clock }: ControllerDeps,
  { apiVersion, kind, metadata }: Workload,
): Promise<void> {
  const { namespace = '', name, uid } = metadata;
  const time = formatTime(clock.now());
  const body = {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { namespace, name: `${name}.${uid}` },
    involvedObject: { apiVersion, kind, namespace, name, uid },
    type: 'Warning',
    reason: 'NoController',
    message:
      `No controller has observed this ${kind} for ${patienceMs / 1000}s: Annex has no workload controllers. ` +
      'Start kube-controller-manager beside it, a scheduler, and --fake-nodes for Pods that run: ' +
      'see the guide "Run Pods on fake nodes".',
    source: { component: 'annex' },
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1,
    eventTime: null,
    reportingComponent: 'annex',
    reportingInstance: '',
  };
  try {
    await api.json({ method: 'POST', path: `/api/v1/namespaces/${namespace}/events`, body });
  } catch (error) {
    if (!isReason(error, 'AlreadyExists') && !isReason(error, 'NotFound') && !isNamespaceTerminating(error))
      throw error;
  }
}
