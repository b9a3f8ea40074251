import type { Node } from '../nodes/node.ts';
import { isSidecar, type Pod } from './pod.ts';
import { type Amounts, amountsOf, podRequests, total } from './pod-requests.ts';

/** Why a node does not run a Pod: reason and message of its status. */
export interface Rejection {
  reason: string;
  message: string;
}

interface Admitted {
  uid: string | undefined;
  nodeName: string;
  requests: Amounts;
  ports: readonly HostPort[];
}

interface HostPort {
  /** `TCP/80`. */
  id: string;
  address: string;
}

const everyAddress = '0.0.0.0';

/**
 * The Pods that each node admitted and that have not ended. Two schedulers can bind more Pods to a node than it has room for; then the node
 * rejects the late ones, as a kubelet does.
 */
export class AdmittedPods {
  readonly #pods = new Map<string, Admitted>();
  readonly #byNode = new Map<string, Set<Admitted>>();

  /** Counts a Pod that its node admitted earlier. */
  count(key: string, pod: Pod): void {
    if (this.#pods.get(key)?.uid !== pod.metadata.uid) this.#add(key, admittedOf(pod));
  }

  /** Admits a Pod, or returns why its node rejects it. */
  admit(key: string, pod: Pod, node: Node): Rejection | undefined {
    if (this.#pods.get(key)?.uid === pod.metadata.uid) return undefined;
    const wanted = admittedOf(pod);
    const others = this.#byNode.get(wanted.nodeName) ?? new Set();
    const rejection = lacksRoom(wanted, others, node) ?? mismatches(pod, node) ?? lacksPorts(wanted, others);
    if (rejection === undefined) this.#add(key, wanted);
    return rejection;
  }

  /** Forgets a Pod that ended. */
  release(key: string): void {
    const admitted = this.#pods.get(key);
    if (admitted === undefined) return;
    this.#pods.delete(key);
    const others = this.#byNode.get(admitted.nodeName);
    others?.delete(admitted);
    if (others?.size === 0) this.#byNode.delete(admitted.nodeName);
  }

  #add(key: string, admitted: Admitted): void {
    this.release(key);
    this.#pods.set(key, admitted);
    const others = this.#byNode.get(admitted.nodeName) ?? new Set();
    this.#byNode.set(admitted.nodeName, others.add(admitted));
  }
}

const admittedOf = (pod: Pod): Admitted => ({
  uid: pod.metadata.uid,
  nodeName: pod.spec.nodeName ?? '',
  requests: new Map([...podRequests(pod), ['pods', 1]]),
  ports: hostPortsOf(pod),
});

const hostPortsOf = ({ spec }: Pod): HostPort[] =>
  [...(spec.initContainers ?? []).filter(isSidecar), ...spec.containers].flatMap(({ ports = [] }) =>
    ports
      .filter(({ hostPort = 0 }) => hostPort > 0)
      .map(({ hostPort, hostIP, protocol }) => ({
        id: `${protocol ?? 'TCP'}/${hostPort}`,
        address: hostIP || everyAddress,
      })),
  );

/** A resource that the node does not report is not limited. */
function lacksRoom(wanted: Admitted, others: ReadonlySet<Admitted>, node: Node): Rejection | undefined {
  const capacities = amountsOf(node.status?.allocatable);
  const used = total([...others].map(({ requests }) => requests));
  for (const name of ['pods', ...wanted.requests.keys()]) {
    const [requested, capacity] = [wanted.requests.get(name) ?? 0, capacities.get(name)];
    const inUse = used.get(name) ?? 0;
    if (requested === 0 || capacity === undefined || inUse + requested <= capacity) continue;
    return rejected(
      `OutOf${name}`,
      `Node didn't have enough resource: ${name}, requested: ${requested}, used: ${inUse}, capacity: ${capacity}`,
    );
  }
  return undefined;
}

function mismatches({ spec }: Pod, { metadata }: Node): Rejection | undefined {
  const labels = new Map(Object.entries(metadata.labels ?? {}));
  const matches = Object.entries(spec.nodeSelector ?? {}).every(([key, value]) => labels.get(key) === value);
  return matches ? undefined : failed('NodeAffinity', "node(s) didn't match Pod's node affinity/selector");
}

function lacksPorts({ ports }: Admitted, others: ReadonlySet<Admitted>): Rejection | undefined {
  if (ports.length === 0) return undefined;
  const taken = [...others].flatMap((other) => other.ports);
  const isTaken = ({ id, address }: HostPort) =>
    taken.some(
      (other) =>
        other.id === id &&
        (other.address === address || other.address === everyAddress || address === everyAddress),
    );
  const message = "node(s) didn't have free ports for the requested pod ports";
  return ports.some(isTaken) ? failed('NodePorts', message) : undefined;
}

const failed = (check: string, message: string): Rejection =>
  rejected(check, `Predicate ${check} failed: ${message}`);

const rejected = (reason: string, message: string): Rejection => ({ reason, message });
