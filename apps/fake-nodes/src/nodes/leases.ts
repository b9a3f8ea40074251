import { formatMicroTime, isReason, type KubeObject } from '@annex/machinery';
import type { Clock, Counter } from '@annex/runtime';
import type { Api } from '../api.ts';
import type { Node } from './node.ts';

const collection = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';

/** Above this number of nodes, their Leases are renewed half as often. */
const manyNodes = 1_000;

/** Returns the milliseconds between two renewals of a Lease: as a kubelet, or twice as long to save processor time. */
export const renewalMs = (leaseDurationSeconds: number, nodes: number): number =>
  (leaseDurationSeconds * 1000) / (nodes > manyNodes ? 2 : 4);

/** Renews the Leases by which the control plane sees that nodes live. */
export class Leases {
  readonly #api: Api;
  readonly #clock: Clock;
  readonly #writes: Counter<'what'>;
  readonly #durationSeconds: number;
  /** The version of the Lease of each node. */
  readonly #versions = new Map<string, string>();

  constructor(
    api: Api,
    { clock, writes, durationSeconds }: { clock: Clock; writes: Counter<'what'>; durationSeconds: number },
  ) {
    this.#api = api;
    this.#clock = clock;
    this.#writes = writes;
    this.#durationSeconds = durationSeconds;
  }

  /** Creates or renews the Lease of a node. */
  async renew(node: Node): Promise<void> {
    const name = node.metadata.name ?? '';
    const version = this.#versions.get(name);
    this.#writes.inc({ what: 'lease' });
    try {
      await this.#write(node, name, version);
    } catch (error) {
      const isStale = ['Conflict', 'NotFound', 'AlreadyExists'].some((reason) =>
        isReason(error, reason as 'Conflict'),
      );
      if (!isStale) throw error;
      // It was deleted, or another process wrote it: the stored one counts.
      await this.#write(node, name, await this.#storedVersion(name));
    }
  }

  forget(name: string): void {
    this.#versions.delete(name);
  }

  async #write(node: Node, name: string, version: string | undefined): Promise<void> {
    const path = version === undefined ? collection : `${collection}/${name}`;
    const method = version === undefined ? 'POST' : 'PUT';
    const { metadata } = await this.#api.json<KubeObject>({
      method,
      path,
      body: this.#body(node, name, version),
    });
    this.#versions.set(name, metadata.resourceVersion ?? '');
  }

  async #storedVersion(name: string): Promise<string | undefined> {
    try {
      return (await this.#api.json<KubeObject>({ path: `${collection}/${name}` })).metadata.resourceVersion;
    } catch (error) {
      if (isReason(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  #body({ metadata }: Node, name: string, resourceVersion: string | undefined): unknown {
    const owner = { apiVersion: 'v1', kind: 'Node', name, uid: metadata.uid };
    return {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: {
        name,
        namespace: 'kube-node-lease',
        ownerReferences: [owner],
        ...(resourceVersion === undefined ? {} : { resourceVersion }),
      },
      spec: {
        holderIdentity: name,
        leaseDurationSeconds: this.#durationSeconds,
        renewTime: formatMicroTime(this.#clock.now()),
      },
    };
  }
}
