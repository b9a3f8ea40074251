import { isIPv6 } from 'node:net';
import type { KubeObject } from '@annex/machinery';
import { encodeStored, ensureObject, type RequiredObject, type ServerDeps } from '@annex/server';
import { StoreError } from '@annex/storage';
import type { BootstrapConfig } from './bootstrap.ts';

const prefix = '/registry/masterleases/';
/** Seconds after which the address of a replica that ended without a word is removed, as in kube-apiserver. */
const leaseSeconds = 15;
const renewMs = 10_000;

/**
 * Keeps the addresses of all replicas in the endpoints of the Service `kubernetes`. Each replica on a shared store has a key that expires,
 * which is kube-apiserver's: both can use the same etcd.
 */
export class ServerEndpoints {
  readonly #deps: ServerDeps;
  readonly #config: Pick<BootstrapConfig, 'advertise'>;
  #timer: { cancel(): void } | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(deps: ServerDeps, config: Pick<BootstrapConfig, 'advertise'>) {
    this.#deps = deps;
    this.#config = config;
  }

  async start(): Promise<void> {
    await this.#renew();
    if (!this.#hasReplicas) return;
    this.#timer = this.#deps.clock.setInterval(() => {
      this.#running = this.#renew().catch((error: unknown) =>
        this.#deps.log.warn('the endpoints of the Service kubernetes were not updated', {
          error: String(error),
        }),
      );
    }, renewMs);
  }

  /** Removes the address of this replica, if there are others. */
  async stop(): Promise<void> {
    if (this.#timer === undefined) return;
    this.#timer.cancel();
    await this.#running;
    await this.#deps.store.delete(this.#key).catch(ignoreAbsent);
    await this.#publish();
  }

  /** The threads of one process have one address. */
  get #hasReplicas(): boolean {
    const { inOneProcess = false, shared } = this.#deps.store.capabilities;
    return shared && !inOneProcess;
  }

  get #key(): string {
    return prefix + this.#config.advertise.address;
  }

  async #renew(): Promise<void> {
    const { clock, store } = this.#deps;
    if (this.#hasReplicas) {
      const { address } = this.#config.advertise;
      // The generation makes each write a change.
      const metadata = { generation: Math.floor(clock.now() / 1000) };
      const subsets = [{ addresses: [{ ip: address }] }];
      const value = encodeStored({ kind: 'Endpoints', apiVersion: 'v1', metadata, subsets } as KubeObject);
      const options = { ttlSeconds: leaseSeconds };
      const { entry } = await store.get(this.#key);
      await (
        entry === undefined
          ? store.create(this.#key, value, options)
          : store.update(this.#key, value, entry.modRevision, options)
      ).catch(ignoreOutrun);
    }
    await this.#publish();
  }

  async #publish(): Promise<void> {
    const addresses = await this.#addresses();
    // A list without addresses would cut clients off: kube-apiserver keeps the old one too.
    if (addresses.length === 0) return;
    await Promise.all(endpointsOf(addresses, this.#config).map((object) => ensureObject(this.#deps, object)));
  }

  async #addresses(): Promise<string[]> {
    const { store } = this.#deps;
    if (!this.#hasReplicas) return [this.#config.advertise.address];
    const { entries } = await store.list(prefix);
    return entries.map(({ key }) => key.slice(prefix.length));
  }
}

function endpointsOf(
  addresses: readonly string[],
  { advertise }: Pick<BootstrapConfig, 'advertise'>,
): RequiredObject[] {
  const metadata = { name: 'kubernetes', namespace: 'default' };
  const ports = [{ name: 'https', port: advertise.port, protocol: 'TCP' }];
  return [
    {
      key: '/registry/services/endpoints/default/kubernetes',
      own: ['subsets'],
      object: {
        kind: 'Endpoints',
        apiVersion: 'v1',
        metadata: { ...metadata, labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } },
        subsets: [{ addresses: addresses.map((ip) => ({ ip })), ports }],
      },
    },
    {
      key: '/registry/endpointslices/default/kubernetes',
      own: ['addressType', 'endpoints', 'ports'],
      object: {
        kind: 'EndpointSlice',
        apiVersion: 'discovery.k8s.io/v1',
        metadata: { ...metadata, generation: 1, labels: { 'kubernetes.io/service-name': 'kubernetes' } },
        addressType: isIPv6(advertise.address) ? 'IPv6' : 'IPv4',
        endpoints: addresses.map((address) => ({ addresses: [address], conditions: { ready: true } })),
        ports,
      },
    },
  ];
}

const ignore =
  (codes: readonly string[]) =>
  (error: unknown): void => {
    if (!(error instanceof StoreError && codes.includes(error.code))) throw error;
  };
const ignoreAbsent = ignore(['notFound']);
/** Another replica with the same address renewed the key. */
const ignoreOutrun = ignore(['exists', 'conflict', 'notFound']);
