import { readFileSync } from 'node:fs';
import type { Client } from '@annex/client';
import type { KubeObject } from '@annex/machinery';

interface ScheduledPod extends KubeObject {
  spec: { nodeName?: string };
  status?: { phase?: string; startTime?: string };
}

/** What was seen of one Pod. */
export interface SeenPod {
  name: string;
  /** The values of `spec.nodeName`, each once in the order of their appearance. */
  nodes: string[];
  /** Whether its node has room for it; `undefined` until it decides. */
  place: 'admitted' | 'rejected' | undefined;
}

/** A successful request that bound a Pod. */
export interface Binding {
  /** The user that the scheduler impersonates. */
  by: string;
  /** Milliseconds since 1970, of the response. */
  at: number;
}

/** Follows the Pods of a namespace by one watch, from before the first Pod. */
export class BindingHistory {
  /** By UID. */
  readonly pods = new Map<string, SeenPod>();
  /** The number of Pods. */
  readonly counts = { bound: 0, admitted: 0, rejected: 0 };
  readonly #ending = new AbortController();
  #changed = Promise.withResolvers<void>();

  static async start(api: Client, path: string): Promise<BindingHistory> {
    const history = new BindingHistory();
    const { metadata } = await api.json<{ metadata: { resourceVersion: string } }>({ path });
    const { resourceVersion } = metadata;
    const events = api.watch<ScheduledPod>(path, { resourceVersion, signal: history.#ending.signal });
    const follow = async (): Promise<void> => {
      for await (const { object } of events) history.#see(object);
    };
    follow().catch((error: unknown) => history.#changed.reject(error as Error));
    history.#changed.promise.catch(() => undefined);
    return history;
  }

  stop(): void {
    this.#ending.abort();
  }

  /** Resolves when the condition holds. Rejects when the watch breaks, or after a timeout in milliseconds. */
  async until(holds: () => boolean, withinMs: number): Promise<void> {
    const late = AbortSignal.timeout(withinMs);
    const { promise: timeout, reject } = Promise.withResolvers<never>();
    late.addEventListener('abort', () =>
      reject(new Error(`not within ${withinMs} ms: ${JSON.stringify(this.counts)} of ${this.pods.size}`)),
    );
    timeout.catch(() => undefined);
    while (!holds()) await Promise.race([this.#changed.promise, timeout]);
  }

  #see({ metadata, spec, status }: ScheduledPod): void {
    const { uid = '', name = '' } = metadata;
    const pod: SeenPod = this.pods.get(uid) ?? { name, nodes: [], place: undefined };
    this.pods.set(uid, pod);
    const { nodeName } = spec;
    if (nodeName !== undefined && pod.nodes.at(-1) !== nodeName) {
      if (pod.nodes.length === 0) this.counts.bound++;
      pod.nodes.push(nodeName);
    }
    if (pod.place === undefined && status?.startTime !== undefined) {
      pod.place = status.phase === 'Failed' ? 'rejected' : 'admitted';
      this.counts[pod.place]++;
    }
    const { resolve } = this.#changed;
    this.#changed = Promise.withResolvers<void>();
    this.#changed.promise.catch(() => undefined);
    resolve();
  }
}

interface AuditEvent {
  stage: string;
  stageTimestamp: string;
  objectRef?: { resource?: string; name?: string; subresource?: string };
  impersonatedUser?: { username: string };
  responseStatus?: { code: number };
}

/** Reads the requests that bound Pods, by the name of the Pod, from an audit log. Names of Pods are used once. */
export function readBindings(auditLog: string): Map<string, Binding[]> {
  const bindings = new Map<string, Binding[]>();
  for (const line of readFileSync(auditLog, 'utf8').trimEnd().split('\n')) {
    const { stage, stageTimestamp, objectRef, impersonatedUser, responseStatus } = JSON.parse(
      line,
    ) as AuditEvent;
    if (stage !== 'ResponseComplete' || responseStatus?.code !== 201) continue;
    const name = objectRef?.name ?? '';
    const binding = { by: impersonatedUser?.username ?? '', at: Date.parse(stageTimestamp) };
    bindings.set(name, [...(bindings.get(name) ?? []), binding]);
  }
  return bindings;
}
