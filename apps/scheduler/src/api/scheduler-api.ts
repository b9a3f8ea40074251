import type { Client, ClientRequest } from '@annex/client';
import { formatTime, type KubeObject } from '@annex/machinery';
import type { Clock } from '@annex/runtime';
import type { ExtendedResourceClaimStatus, PodCondition } from '../objects/pod.ts';
import { RateLimit, type RateLimitConfig } from './rate-limit.ts';
import type { PodInfo } from '../objects/pod-info.ts';

/** The timeout of a request in milliseconds. */
export const schedulerTimeoutMs = 30_000;

/** What to change in the status of a Pod. */
export interface StatusChange {
  condition?: Pick<PodCondition, 'type' | 'status' | 'reason' | 'message'>;
  /** Empty removes the nomination. */
  nominatedNode?: string | undefined;
  extendedClaim?: ExtendedResourceClaimStatus;
}

const strategic = { 'content-type': 'application/strategic-merge-patch+json' };

/** The requests of the scheduler. */
export class SchedulerApi {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #mayWrite: () => boolean;
  readonly #limit: RateLimit | undefined;
  /** The last change of each Pod that has not been responded to, by UID. */
  readonly #unfinished = new Map<string, Promise<void>>();

  /** Changes of Pods are refused unless `mayWrite`: another scheduler may lead. Requests wait for their turn if there is a limit. */
  constructor(
    client: Client,
    clock: Clock,
    signal: AbortSignal,
    { mayWrite = () => true, limit }: { mayWrite?: () => boolean; limit?: RateLimitConfig | undefined } = {},
  ) {
    this.#client = client;
    this.#clock = clock;
    this.#signal = signal;
    this.#mayWrite = mayWrite;
    this.#limit = limit && new RateLimit(limit, clock);
  }

  /** False if another scheduler may lead. */
  get mayWrite(): boolean {
    return this.#mayWrite();
  }

  /** Sends a request that ends with the scheduler. Throws StatusError. */
  json<T = KubeObject>(request: Omit<ClientRequest, 'signal'>): Promise<T> {
    return this.#inTurn(() => this.#send<T>(request));
  }

  #inTurn<T>(send: () => Promise<T>): Promise<T> {
    return this.#limit === undefined ? send() : this.#limit.turn(this.#signal).then(send);
  }

  #send<T>(request: Omit<ClientRequest, 'signal'>): Promise<T> {
    return this.#client.json<T>({ timeoutMs: schedulerTimeoutMs, ...request, signal: this.#signal });
  }

  /** Binds a Pod, after its status was written: a late condition would say that it is not scheduled. */
  bind({ namespace, name, uid }: PodInfo, node: string): Promise<void> {
    return this.#inOrder(uid, {
      method: 'POST',
      path: `${pathOf({ namespace, name })}/binding`,
      body: {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { namespace, name, uid },
        target: { kind: 'Node', name: node },
      },
    });
  }

  /** Patches the status of a Pod, unless it has the condition and the nomination. */
  async patchStatus(pod: PodInfo, { condition, extendedClaim, nominatedNode }: StatusChange): Promise<void> {
    const { status = {}, metadata } = pod.pod;
    const known = status.conditions?.find(({ type }) => type === condition?.type);
    const patch: Record<string, unknown> = {};
    if (condition !== undefined && !isSame(known, condition, metadata.generation)) {
      const isNew = known?.status !== condition.status;
      patch.conditions = [
        {
          ...condition,
          lastProbeTime: null,
          lastTransitionTime: isNew ? formatTime(this.#clock.now()) : known?.lastTransitionTime,
          ...(metadata.generation === undefined ? {} : { observedGeneration: metadata.generation }),
        },
      ];
    }
    if (nominatedNode !== undefined && nominatedNode !== (status.nominatedNodeName ?? ''))
      patch.nominatedNodeName = nominatedNode === '' ? null : nominatedNode;
    if (extendedClaim !== undefined) patch.extendedResourceClaimStatus = extendedClaim;
    if (Object.keys(patch).length === 0) return;
    await this.#inOrder(pod.uid, {
      method: 'PATCH',
      path: `${pathOf(pod)}/status`,
      headers: strategic,
      body: { metadata: { uid: pod.uid }, status: patch },
    });
  }

  /** Sends the changes of a Pod one after the other. */
  #inOrder(uid: string, request: Omit<ClientRequest, 'signal'>): Promise<void> {
    const send = (): Promise<void> =>
      this.#inTurn(async () => {
        this.#requireLeadership();
        await this.#send(request);
      });
    const sent = this.#unfinished.get(uid)?.then(send) ?? send();
    const finished = sent
      .catch(() => {})
      .then(() => {
        if (this.#unfinished.get(uid) === finished) this.#unfinished.delete(uid);
      });
    this.#unfinished.set(uid, finished);
    return sent;
  }

  /** A process that stood still may have requests left that its successor has made obsolete. */
  #requireLeadership(): void {
    if (!this.mayWrite) throw new Error('the lease has expired');
  }

  /** Deletes a Pod with its own grace period. */
  async deletePod(pod: PodInfo): Promise<void> {
    await this.#inTurn(() => {
      this.#requireLeadership();
      return this.#send({ method: 'DELETE', path: pathOf(pod) });
    });
  }
}

const pathOf = ({ namespace, name }: Pick<PodInfo, 'namespace' | 'name'>): string =>
  `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}`;

const isSame = (
  known: PodCondition | undefined,
  condition: NonNullable<StatusChange['condition']>,
  generation: number | undefined,
): boolean =>
  known !== undefined &&
  known.status === condition.status &&
  (known.reason ?? '') === (condition.reason ?? '') &&
  (known.message ?? '') === (condition.message ?? '') &&
  (known.observedGeneration ?? 0) === (generation ?? 0);
