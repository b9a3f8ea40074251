import type { ServerDeps } from '@annex/server';
import { AllocationError } from './cluster-ips.ts';
import type { ServiceSpec } from './spec.ts';

const servicePrefix = '/registry/services/specs/';
const first = 30000;
const last = 32767;
/** Milliseconds during which an allocated port is in use although its Service is not stored yet. */
const pendingTime = 10_000;

/** Allocates node ports. The ports in use are read from the Services in the store. */
export class NodePorts {
  readonly #deps: ServerDeps;
  readonly #pending = new Map<number, number>();

  constructor(deps: ServerDeps) {
    this.#deps = deps;
  }

  /** Resolves to the ports of stored Services, and of those whose write is in progress. */
  async taken(): Promise<Set<number>> {
    const cache = this.#deps.feed.objects(servicePrefix);
    await cache.waitFor();
    const now = this.#deps.clock.monotonic();
    for (const [port, until] of this.#pending) if (until < now) this.#pending.delete(port);
    const used = new Set(this.#pending.keys());
    for (const { value } of cache.list(servicePrefix).entries) {
      const spec = value.object.spec as ServiceSpec | undefined;
      for (const { nodePort } of spec?.ports ?? []) if (nodePort) used.add(nodePort);
      if (spec?.healthCheckNodePort) used.add(spec.healthCheckNodePort);
    }
    return used;
  }

  /** Marks a port as in use. Throws AllocationError if it is not free or not valid. */
  allocate(port: number, taken: Set<number>, dryRun: boolean): void {
    if (port < first || port > last) {
      throw new AllocationError(
        `provided port is not in the valid range. The range of valid ports is ${first}-${last}`,
      );
    }
    if (taken.has(port)) throw new AllocationError('provided port is already allocated');
    this.#mark(port, taken, dryRun);
  }

  /** Returns any free port. Throws AllocationError if there is none. */
  allocateNext(taken: Set<number>, dryRun: boolean): number {
    const count = last - first + 1;
    const start = Math.floor(Math.random() * count);
    for (let step = 0; step < count; step++) {
      const port = first + ((start + step) % count);
      if (taken.has(port)) continue;
      this.#mark(port, taken, dryRun);
      return port;
    }
    throw new AllocationError('range is full');
  }

  #mark(port: number, taken: Set<number>, dryRun: boolean): void {
    taken.add(port);
    if (!dryRun) this.#pending.set(port, this.#deps.clock.monotonic() + pendingTime);
  }
}
