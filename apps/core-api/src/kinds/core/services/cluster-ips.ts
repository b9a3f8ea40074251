import { randomBytes, randomUUID } from 'node:crypto';
import { formatTime, type KubeObject } from '@annex/machinery';
import { encodeStored, type ServerDeps } from '@annex/server';
import { StoreError } from '@annex/storage';
import type { IpRange } from './ip-range.ts';
import { serviceSpec } from './spec.ts';

/** The key prefix of IPAddress objects: one object for each allocated address, so that the store keeps addresses unique. */
export const addressPrefix = '/registry/ipaddresses/';
const servicePrefix = '/registry/services/specs/';
/** Milliseconds for which an address has no Service that is stored, before it can be allocated again. */
const orphanAge = 60_000;

/** The reason why an address was not allocated, with kube-apiserver's message. */
export class AllocationError extends Error {
  override readonly name = 'AllocationError';
}

const alreadyAllocated = 'provided IP is already allocated';

/** Allocates the addresses of a range to Services. The IPAddress objects in the store are its only state. */
export class ClusterIps {
  readonly range: IpRange;
  readonly #deps: ServerDeps;
  /** Allocations whose Service was not stored when a request wanted their address, by address. */
  readonly #suspects = new Map<string, { uid: string | undefined; since: number }>();

  constructor(deps: ServerDeps, range: IpRange) {
    this.#deps = deps;
    this.range = range;
  }

  /** Allocates an address to a Service. Throws AllocationError if it is not free. */
  async allocate(address: string, service: KubeObject, dryRun: boolean): Promise<void> {
    if (!this.range.contains(address)) {
      throw new AllocationError(
        `the provided IP (${address}) is not in the valid range. The range of valid IPs is ${this.range.text}`,
      );
    }
    if (!(await this.#take(address, service, dryRun))) throw new AllocationError(alreadyAllocated);
  }

  /** Allocates any free address to a Service. Throws AllocationError if there is none. */
  async allocateNext(service: KubeObject, dryRun: boolean): Promise<string> {
    const { size } = this.range;
    // The lower part is used last, because it is reserved for requests of specific addresses.
    const reserved = size > 16n ? min(max(16n, size / 16n), 256n) : 0n;
    const start = randomBelow(size - reserved);
    for (let step = 0n; step < size; step++) {
      const position = reserved + 1n + start + step;
      const address = this.range.at(position > size ? position - size : position);
      if (await this.#take(address, service, dryRun)) return address;
    }
    throw new AllocationError('range is full');
  }

  /** Releases the addresses of a Service. */
  async release(service: KubeObject): Promise<void> {
    for (const address of serviceSpec(service).clusterIPs ?? []) {
      if (!this.range.contains(address)) continue;
      const found = await this.#read(address);
      if (found === undefined || !belongsTo(found.object, service)) continue;
      await this.#deps.store.delete(addressPrefix + address, found.modRevision).catch(ignoreLost);
    }
  }

  async #take(address: string, service: KubeObject, dryRun: boolean): Promise<boolean> {
    const found = await this.#read(address);
    if (
      found !== undefined &&
      !belongsTo(found.object, service) &&
      !(await this.#isOrphan(address, found.object))
    ) {
      return false;
    }
    if (dryRun) return true;
    const value = encodeStored(this.#addressObject(address, service));
    try {
      if (found === undefined) await this.#deps.store.create(addressPrefix + address, value);
      else await this.#deps.store.update(addressPrefix + address, value, found.modRevision);
      this.#suspects.delete(address);
      return true;
    } catch (error) {
      if (error instanceof StoreError && lost.has(error.code)) return false;
      throw error;
    }
  }

  async #read(address: string) {
    const cache = this.#deps.feed.objects(addressPrefix);
    await cache.waitFor();
    return cache.get(addressPrefix + address)?.value;
  }

  /** The clock of the replica that allocated the address may be another one, so its age is not that of its object. */
  async #isOrphan(address: string, allocation: KubeObject): Promise<boolean> {
    const { namespace, name } = parentOf(allocation);
    const cache = this.#deps.feed.objects(servicePrefix);
    await cache.waitFor();
    const owner = cache.get(`${servicePrefix}${namespace}/${name}`)?.value.object;
    if (((owner?.spec as { clusterIPs?: string[] } | undefined)?.clusterIPs ?? []).includes(address)) {
      this.#suspects.delete(address);
      return false;
    }
    const now = this.#deps.clock.monotonic();
    const known = this.#suspects.get(address);
    const { uid } = allocation.metadata;
    if (known !== undefined && known.uid === uid) return now - known.since >= orphanAge;
    this.#suspects.set(address, { uid, since: now });
    return false;
  }

  #addressObject(address: string, service: KubeObject): KubeObject {
    const { namespace = '', name = '' } = service.metadata;
    return {
      kind: 'IPAddress',
      apiVersion: 'networking.k8s.io/v1',
      metadata: {
        name: address,
        uid: randomUUID(),
        creationTimestamp: formatTime(this.#deps.clock.now()),
        labels: {
          'ipaddress.kubernetes.io/ip-family': this.range.family,
          'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io',
        },
      },
      spec: { parentRef: { resource: 'services', namespace, name } },
    };
  }
}

const lost = new Set(['exists', 'conflict', 'notFound']);

const ignoreLost = (error: unknown) => {
  if (!(error instanceof StoreError && lost.has(error.code))) throw error;
};

function parentOf(allocation: KubeObject): { namespace?: string; name?: string } {
  return (
    (allocation.spec as { parentRef?: { namespace?: string; name?: string } } | undefined)?.parentRef ?? {}
  );
}

function belongsTo(allocation: KubeObject, { metadata }: KubeObject): boolean {
  const { namespace, name } = parentOf(allocation);
  return namespace === metadata.namespace && name === metadata.name;
}

const min = (a: bigint, b: bigint) => (a < b ? a : b);
const max = (a: bigint, b: bigint) => (a > b ? a : b);
const randomBelow = (limit: bigint) => (limit <= 0n ? 0n : randomBytes(8).readBigUInt64BE() % limit);
