import type { Informer } from '@annex/client';
import { formatTime, isReason } from '@annex/machinery';
import type { Clock, Counter, Logger } from '@annex/runtime';
import type { AddressPool } from '../address-pool.ts';
import type { Api } from '../api.ts';
import type { PatchStages } from '../stages/patch-stages.ts';
import { chooseByWeight, type Stages, type TransitionStage } from '../stages/stage.ts';
import { WorkPool } from '../work-pool.ts';
import { Leases, renewalMs } from './leases.ts';
import { healthConditions, isHealthy, newAllocatable, nodeStatus } from './node-status.ts';
import { internalIP, isFake, type Node } from './node.ts';

/** What fake nodes depend on. */
export interface NodesDeps {
  api: Api;
  clock: Clock;
  log: Logger;
  random(): number;
  stages: Stages;
  patchStages: PatchStages;
  addresses: AddressPool;
  writes: Counter<'what'>;
  /** Nodes to register. */
  planned: readonly Node[];
  /** Seconds of the Leases; {@link renewalMs}. */
  leaseDurationSeconds: number;
  /** Milliseconds between two reports of a status that did not change. */
  statusReportMs: number;
  /** A node is looked after from now on. */
  adopted(name: string): void;
}

interface Followed {
  node: Node;
  address: string | undefined;
  /** True until the first renewal. */
  isNew: boolean;
  /** Times of the clock's `monotonic`. */
  renewAt: number;
  reportAt: number;
}

const notReadyTaint = 'node.kubernetes.io/not-ready';

/** Registers nodes, and keeps all fake nodes ready. */
export class Nodes {
  readonly #deps: NodesDeps;
  readonly #informer: Informer<Node>;
  readonly #pool: WorkPool<string>;
  readonly #leases: Leases;
  readonly #planned: Map<string, Node>;
  readonly #followed = new Map<string, Followed>();
  #kubeletVersion: string | undefined;

  constructor(deps: NodesDeps) {
    this.#deps = deps;
    this.#planned = new Map(deps.planned.map((node) => [node.metadata.name ?? '', node]));
    this.#pool = new WorkPool((name) => this.#work(name), deps);
    this.#leases = new Leases(deps.api, { ...deps, durationSeconds: deps.leaseDurationSeconds });
    this.#informer = deps.api.informer<Node>('/api/v1/nodes', {
      added: (node) => this.#observe(node),
      modified: (node, previous) => {
        if (node.metadata.uid !== previous.metadata.uid) this.#forget(previous);
        this.#observe(node);
      },
      deleted: (node) => this.#forget(node),
    });
  }

  /** Nodes that are looked after. */
  get size(): number {
    return this.#followed.size;
  }

  /** Nodes that are not registered yet. */
  get unregistered(): number {
    return this.#planned.size;
  }

  /** Returns the address of a fake node. */
  hostIP(name: string): string | undefined {
    return this.#followed.get(name)?.address;
  }

  /** Returns a fake node. */
  node(name: string): Node | undefined {
    return this.#followed.get(name)?.node;
  }

  /** Resolves when all nodes are known. Missing ones are registered in the background. */
  async start(): Promise<void> {
    await this.#informer.start();
    for (const name of this.#planned.keys()) this.#pool.add(name);
  }

  async stop(): Promise<void> {
    await Promise.all([this.#informer.stop(), this.#pool.stop()]);
  }

  #observe(node: Node): void {
    const name = node.metadata.name ?? '';
    const known = this.#followed.get(name);
    if (!isFake(node)) {
      if (known !== undefined) this.#forget(node);
      if (this.#planned.delete(name))
        this.#deps.log.warn('a node with this name exists, which is no fake node', { name });
      return;
    }
    this.#planned.delete(name);
    const address = internalIP(node);
    if (address !== undefined) this.#deps.addresses.reserve(address, name);
    if (known === undefined) this.#follow(name, node);
    else {
      known.node = node;
      known.address = address ?? known.address;
      if (this.#needsWrite(node)) this.#pool.add(name);
    }
  }

  #follow(name: string, node: Node): void {
    const { clock, random, addresses, statusReportMs } = this.#deps;
    const now = clock.monotonic();
    this.#followed.set(name, {
      node,
      address: internalIP(node) ?? addresses.take(name),
      renewAt: now,
      isNew: true,
      // Nodes that start together must not report together for ever.
      reportAt: now + statusReportMs * (0.5 + random() / 2),
    });
    this.#pool.add(name);
    this.#deps.adopted(name);
  }

  #forget({ metadata: { name = '' } }: Node): void {
    this.#followed.delete(name);
    this.#pool.delete(name);
    this.#leases.forget(name);
    this.#deps.patchStages.forget(`Node/${name}`);
    this.#deps.addresses.release(name);
  }

  #needsWrite(node: Node): boolean {
    return (
      !isHealthy(node) || isTainted(node) || offersLess(node) || this.#deps.patchStages.matches('Node', node)
    );
  }

  async #work(name: string): Promise<number | undefined> {
    const planned = this.#planned.get(name);
    if (planned !== undefined) return await this.#register(name, planned);
    const followed = this.#followed.get(name);
    if (followed === undefined) return undefined;
    const stage = this.#heartbeatStage(followed.node);
    const afterMs = stage?.hold === true ? Infinity : await this.#beat(followed, stage);
    const patched = await this.#deps.patchStages.advance(
      `Node/${name}`,
      'Node',
      followed.node,
      `/api/v1/nodes/${name}`,
    );
    const next = Math.min(afterMs, patched ?? Infinity);
    return next === Infinity ? undefined : next;
  }

  #heartbeatStage(node: Node): TransitionStage | undefined {
    const { stages, random } = this.#deps;
    const matching = stages.transitions.filter(
      (stage) => stage.transition === 'Heartbeat' && stage.matches(node),
    );
    return chooseByWeight(matching, node, random);
  }

  /** Does what is due. Returns the milliseconds until something is due again. */
  async #beat(followed: Followed, stage: TransitionStage | undefined): Promise<number> {
    const { clock, random, leaseDurationSeconds, patchStages } = this.#deps;
    const { node } = followed;
    if (!isHealthy(node) && !patchStages.matches('Node', node)) await this.#report(followed);
    else if (clock.monotonic() >= followed.reportAt || offersLess(node)) await this.#report(followed);
    if (isTainted(followed.node) && isHealthy(followed.node)) await this.#untaint(followed);
    if (clock.monotonic() >= followed.renewAt) {
      await this.#leases.renew(followed.node);
      const interval =
        stage?.delayMs(node, clock.now(), random) ?? renewalMs(leaseDurationSeconds, this.size);
      // The second renewal comes early at random, so that those of nodes that start together are spread.
      followed.renewAt = clock.monotonic() + interval * (followed.isNew ? random() : 1);
      followed.isNew = false;
    }
    return Math.max(0, Math.min(followed.renewAt, followed.reportAt) - clock.monotonic());
  }

  async #register(name: string, node: Node): Promise<number | undefined> {
    const { addresses, api, writes } = this.#deps;
    const status = nodeStatus(node, { ...(await this.#facts()), address: addresses.take(name) });
    writes.inc({ what: 'node' });
    try {
      this.#observe(
        await api.json<Node>({ method: 'POST', path: '/api/v1/nodes', body: { ...node, status } }),
      );
    } catch (error) {
      // The watch brings the node.
      if (!isReason(error, 'AlreadyExists')) throw error;
    }
    return undefined;
  }

  async #report(followed: Followed): Promise<void> {
    const { clock, random, statusReportMs, writes } = this.#deps;
    const { node } = followed;
    const facts = { ...(await this.#facts()), address: followed.address };
    const status = isHealthy(node)
      ? {
          conditions: healthConditions(node.status?.conditions ?? [], facts.time),
          allocatable: newAllocatable(node),
        }
      : nodeStatus(node, facts);
    writes.inc({ what: 'node status' });
    followed.node = await this.#patch(followed, '/status', { metadata: { uid: node.metadata.uid }, status });
    followed.reportAt = clock.monotonic() + statusReportMs * (1 - random() * 0.1);
  }

  /** Removes the taint of a new node, as the node lifecycle controller does where one runs. */
  async #untaint(followed: Followed): Promise<void> {
    this.#deps.writes.inc({ what: 'node taint' });
    const { spec, metadata } = followed.node;
    const taints = (spec?.taints ?? []).filter(({ key }) => key !== notReadyTaint);
    // The list is replaced: the version guards taints that others add.
    const body = { metadata: { resourceVersion: metadata.resourceVersion }, spec: { taints } };
    followed.node = await this.#patch(followed, '', body);
  }

  async #patch({ node }: Followed, subresource: string, body: object): Promise<Node> {
    const { name, uid } = node.metadata;
    return await this.#deps.api.patch<Node>(`/api/v1/nodes/${name}${subresource}`, {
      metadata: { uid },
      ...body,
    });
  }

  async #facts() {
    this.#kubeletVersion ??= (
      await this.#deps.api.json<{ gitVersion: string }>({ path: '/version' })
    ).gitVersion;
    return { kubeletVersion: this.#kubeletVersion, time: formatTime(this.#deps.clock.now()) };
  }
}

const offersLess = (node: Node): boolean => Object.keys(newAllocatable(node)).length > 0;

const isTainted = ({ spec }: Node): boolean =>
  spec?.taints?.some(({ key }) => key === notReadyTaint) ?? false;
