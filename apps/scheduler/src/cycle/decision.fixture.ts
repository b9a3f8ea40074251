import { nullLogger, systemClock } from '@annex/runtime';
import { Cluster } from '../cache/cluster.ts';
import { decodeConfiguration } from '../config/decode.ts';
import { defaultFeatureGates } from '../config/feature-gates.ts';
import { Cycle } from '../framework/cycle.ts';
import type { Handle } from '../framework/handle.ts';
import type { Profile } from '../framework/profile.ts';
import type { Node } from '../objects/node.ts';
import type { Pod, PodSpec } from '../objects/pod.ts';
import { PodInfo } from '../objects/pod-info.ts';
import { pluginRegistry } from '../plugins/registry.ts';
import { Nominator } from '../queue/nominator.ts';
import { profileWithHandle } from '../scheduler-app.ts';
import { Decider } from './decide.ts';

let created = 0;

/** Returns a node with 4 CPUs, 8 GiB and room for 110 Pods. */
export const aNode = (
  name: string,
  parts: { labels?: Record<string, string>; spec?: Node['spec']; allocatable?: Record<string, string> } = {},
): Node => ({
  metadata: { name, labels: { 'kubernetes.io/hostname': name, ...parts.labels } },
  ...(parts.spec === undefined ? {} : { spec: parts.spec }),
  status: { allocatable: { cpu: '4', memory: '8Gi', pods: '110', ...parts.allocatable } },
});

/** Returns a Pod of one container. */
export const aPod = (
  name: string,
  spec: Partial<PodSpec> & { requests?: Record<string, string> } = {},
  labels: Record<string, string> = {},
): Pod => {
  const { requests, ...rest } = spec;
  return {
    metadata: { name, namespace: 'default', uid: `uid-${++created}`, labels },
    spec: {
      schedulerName: 'default-scheduler',
      containers: [{ name: 'c', ...(requests === undefined ? {} : { resources: { requests } }) }],
      ...rest,
    },
  };
};

/** A cluster without an API server, and the default profile. */
export interface Decisions {
  cluster: Cluster;
  profile: Profile;
  nominator: Nominator;
  bind(pod: Pod, node: string): void;
  /** Resolves to the node, or to the message. */
  decide(pod: Pod): Promise<string>;
}

export async function decisions(nodes: readonly Node[], profile = '{}'): Promise<Decisions> {
  const cluster = new Cluster();
  for (const node of nodes) cluster.setNode(node);
  const nominator = new Nominator();
  const config = await decodeConfiguration(
    `{"apiVersion":"kubescheduler.config.k8s.io/v1","kind":"KubeSchedulerConfiguration","profiles":[${profile}]}`,
  );
  const [first] = config.profiles;
  if (first === undefined) throw new Error('no profile');
  const shared = {
    cluster,
    clock: systemClock,
    features: defaultFeatureGates,
    log: nullLogger,
    extenders: [],
    activate: () => undefined,
    nominatedPods: (node: string) => nominator.on(node),
  } as unknown as Handle;
  const running = profileWithHandle(first, pluginRegistry(), shared);
  const decider = new Decider({ cluster, extenders: [], log: nullLogger, percentageOfNodesToScore: 0 });
  return {
    cluster,
    profile: running,
    nominator,
    bind: (pod, node) => cluster.setPod(new PodInfo(pod), node),
    async decide(pod) {
      const decision = await decider.decide(running, new Cycle(), new PodInfo(pod));
      if (decision.kind === 'chosen') return decision.node;
      return decision.kind === 'noNodes' ? 'no nodes' : decision.diagnosis.message;
    },
  };
}
