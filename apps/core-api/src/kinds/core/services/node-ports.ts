import type { KubeObject } from '@annex/machinery';
import type { ServerDeps } from '@annex/server';
import { AllocationError } from './cluster-ips.ts';
import { PortClaims, portsOf } from './port-claims.ts';

const servicePrefix = '/registry/services/specs/';
const first = 30000;
const last = 32767;
/** Milliseconds during which an allocated port is in use although its Service is not stored yet. */
const pendingTime = 10_000;

/** A Service that needs ports, and the ports that it cannot get: {@link NodePorts.taken}, and those it got since. */
export interface PortRequest {
  service: KubeObject;
  taken: Set<number>;
  dryRun: boolean;
}

/** Allocates node ports. The ports in use are read from the Services in the store. */
export class NodePorts {
  readonly #deps: ServerDeps;
  readonly #pending = new Map<number, number>();
  readonly #claims: PortClaims | undefined;

  constructor(deps: ServerDeps) {
    this.#deps = deps;
    // Other replicas do not see what is pending here.
    if (deps.store.capabilities.shared) this.#claims = new PortClaims(deps.store);
  }

  /** Resolves to the ports of stored Services, and of those whose write is in progress. */
  async taken(): Promise<Set<number>> {
    const cache = this.#deps.feed.objects(servicePrefix);
    await cache.waitFor();
    const now = this.#deps.clock.monotonic();
    for (const [port, until] of this.#pending) if (until < now) this.#pending.delete(port);
    const used = new Set(this.#pending.keys());
    for (const { value } of cache.list(servicePrefix).entries) {
      for (const port of portsOf(value.object)) used.add(port);
    }
    return used;
  }

  /** Marks a port as in use. Throws AllocationError if it is not free or not valid. */
  async allocate(port: number, { service, taken, dryRun }: PortRequest): Promise<void> {
    // kube-apiserver does not check the range in a dry run.
    if (!dryRun && (port < first || port > last)) {
      throw new AllocationError(
        `provided port is not in the valid range. The range of valid ports is ${first}-${last}`,
      );
    }
    if (taken.has(port) || !(await this.#mark(port, { service, taken, dryRun }))) {
      throw new AllocationError('provided port is already allocated');
    }
  }

  /** Resolves to any free port. Throws AllocationError if there is none. */
  async allocateNext(request: PortRequest): Promise<number> {
    const count = last - first + 1;
    const start = Math.floor(Math.random() * count);
    for (let step = 0; step < count; step++) {
      const port = first + ((start + step) % count);
      if (request.taken.has(port)) continue;
      if (await this.#mark(port, request)) return port;
    }
    throw new AllocationError('range is full');
  }

  /** Releases the ports of a deleted Service. */
  async release(service: KubeObject): Promise<void> {
    await this.#claims?.release(service, portsOf(service));
  }

  async #mark(port: number, { service, taken, dryRun }: PortRequest): Promise<boolean> {
    taken.add(port);
    if (dryRun) return true;
    if (this.#claims !== undefined) return await this.#claims.take(port, service);
    this.#pending.set(port, this.#deps.clock.monotonic() + pendingTime);
    return true;
  }
}
