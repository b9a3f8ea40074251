import type { JsonObject, KubeObject, Quantity } from '@annex/machinery';
import { add, larger, type ResourceList, resourceList } from './resource-list.ts';

/** The minimum (`requests`) or maximum (`limits`) resources of a container or a Pod. */
export type Bound = 'requests' | 'limits';

export type Resources = Partial<Record<Bound, JsonObject>>;

export interface Container {
  name?: string;
  restartPolicy?: string;
  resources?: Resources;
}

interface ContainerStatus {
  name: string;
  resources?: Resources;
  allocatedResources?: JsonObject;
}

export interface Pod extends KubeObject {
  spec?: {
    containers?: Container[];
    initContainers?: Container[];
    resources?: Resources;
    overhead?: JsonObject;
    activeDeadlineSeconds?: number;
    priorityClassName?: string;
    affinity?: JsonObject;
  };
  status?: {
    phase?: string;
    qosClass?: string;
    conditions?: { type: string; reason?: string }[];
    containerStatuses?: ContainerStatus[];
    initContainerStatuses?: ContainerStatus[];
  };
}

/** Returns whether an amount can be specified for a whole Pod. */
export const isPodLevel = (name: string): boolean =>
  name === 'cpu' || name === 'memory' || name.startsWith('hugepages-');

/**
 * Returns the total resources of a Pod. Init containers run one after another, so that only the largest of
 * them counts. Restartable init containers run beside all later containers. Source: KEP-753 (sidecar
 * containers), KEP-2837 (Pod-level resources).
 */
export function podResources(pod: Pod, bound: Bound): Map<string, Quantity> {
  const { resources, overhead } = pod.spec ?? {};
  const total = containersOf(pod, bound);
  for (const [name, amount] of resourceList(resources?.[bound]))
    if (isPodLevel(name)) total.set(name, amount);
  for (const [name, amount] of resourceList(overhead)) {
    const known = total.get(name);
    if (bound === 'requests') total.set(name, known?.add(amount) ?? amount);
    // An unlimited amount stays unlimited if other containers run concurrently.
    else if (known !== undefined && known.sign !== 0) total.set(name, known.add(amount));
  }
  return total;
}

function containersOf(pod: Pod, bound: Bound): Map<string, Quantity> {
  const { containers = [], initContainers = [] } = pod.spec ?? {};
  const effective = effectiveResources(pod, bound);
  let running: Map<string, Quantity> = new Map();
  for (const container of containers) running = add(running, effective(container));
  let restarting: ResourceList = new Map();
  let starting: ResourceList = new Map();
  for (const container of initContainers) {
    if (container.restartPolicy === 'Always') {
      const own = effective(container);
      running = add(running, own);
      restarting = add(restarting, own);
      starting = larger(starting, restarting);
    } else {
      starting = larger(starting, add(resourceList(container.resources?.[bound]), restarting));
    }
  }
  return larger(running, starting);
}

/** Returns the larger of the specified and the allocated resources of a container. */
function effectiveResources({ status }: Pod, bound: Bound): (container: Container) => ResourceList {
  const known = new Map(
    [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])].map((one) => [
      one.name,
      one,
    ]),
  );
  const resize = status?.conditions?.find(({ type }) => type === 'PodResizePending');
  return ({ name = '', resources }) => {
    const spec = resourceList(resources?.[bound]);
    const provided = known.get(name);
    if (provided?.resources === undefined) return spec;
    const allocated = bound === 'requests' ? resourceList(provided.allocatedResources) : new Map();
    const actual = larger(resourceList(provided.resources[bound]), allocated);
    return resize?.reason === 'Infeasible' ? actual : larger(spec, actual);
  };
}
