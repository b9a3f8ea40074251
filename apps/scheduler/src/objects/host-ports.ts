import type { Pod } from './pod.ts';

/** A port of the node that a Pod uses. */
export interface HostPort {
  /** `TCP/80`. */
  readonly id: string;
  /** `0.0.0.0` for every address. */
  readonly address: string;
}

const everyAddress = '0.0.0.0';

/** Returns the ports of the node that a Pod uses: those of containers and sidecars. */
export function hostPortsOf({ spec }: Pod): HostPort[] {
  const sidecars = (spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  return [...sidecars, ...(spec.containers ?? [])].flatMap(({ ports = [] }) =>
    ports
      .filter(({ hostPort = 0 }) => hostPort > 0)
      .map(({ hostPort, hostIP, protocol }) => ({
        id: `${protocol || 'TCP'}/${hostPort}`,
        address: hostIP || everyAddress,
      })),
  );
}

/**
 * The ports of a node that are in use: the addresses by port. As in kube-scheduler, they are not counted: of Pods that `spec.nodeName` gave
 * the same port, the first one that ends frees it.
 */
export class UsedPorts {
  readonly #addresses = new Map<string, Set<string>>();

  constructor(ports: readonly HostPort[] = []) {
    for (const port of ports) this.add(port);
  }

  add({ id, address }: HostPort): void {
    const addresses = this.#addresses.get(id) ?? new Set<string>();
    this.#addresses.set(id, addresses.add(address));
  }

  remove({ id, address }: HostPort): void {
    const addresses = this.#addresses.get(id);
    addresses?.delete(address);
    if (addresses?.size === 0) this.#addresses.delete(id);
  }

  /** Returns whether a port is free: the unspecified address is all addresses. */
  isFree({ id, address }: HostPort): boolean {
    const addresses = this.#addresses.get(id);
    if (addresses === undefined) return true;
    return address !== everyAddress && !addresses.has(address) && !addresses.has(everyAddress);
  }

  clone(): UsedPorts {
    const copy = new UsedPorts();
    for (const [id, addresses] of this.#addresses) copy.#addresses.set(id, new Set(addresses));
    return copy;
  }
}
