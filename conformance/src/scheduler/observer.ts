import type { Client } from '@annex/client';
import type { PodState, ScenarioObject, SeenEvent } from './scenario.ts';

interface PodObject extends ScenarioObject {
  spec: { nodeName?: string; schedulingGates?: { name: string }[] };
  status: { conditions?: Record<string, string>[]; nominatedNodeName?: string };
}

interface EventObject extends ScenarioObject {
  regarding: { kind?: string; namespace?: string; name: string; uid?: string };
  related?: { namespace?: string; name: string };
  type: string;
  reason: string;
  action?: string;
  reportingController?: string;
  deprecatedSource?: { component?: string };
  note?: string;
}

/** The last version of a Pod. */
interface SeenPod {
  object: PodObject;
  gone: boolean;
}

/** Returns the name of a Pod, with its namespace if that is not `default`. */
export const shortName = (namespace: string | undefined, name: string): string =>
  namespace === undefined || namespace === '' || namespace === 'default' ? name : `${namespace}/${name}`;

/** Collects the last version of each Pod, and each distinct event, since its start. */
export class Observer {
  readonly #stop = new AbortController();
  readonly #pods = new Map<string, SeenPod>();
  readonly #names = new Map<string, string>();
  readonly #events = new Map<string, { ofPod: string | undefined; event: SeenEvent }>();
  readonly #addresses = new Map<string, string>();
  #changed = Promise.withResolvers<void>();

  /** Starts to watch. */
  static async start(client: Client): Promise<Observer> {
    const observer = new Observer();
    await Promise.all([
      observer.#watch(client, '/api/v1/pods', (type, object) => observer.#pod(type, object as PodObject)),
      observer.#watch(client, '/apis/events.k8s.io/v1/events', (type, object) =>
        observer.#event(type, object as EventObject),
      ),
    ]);
    return observer;
  }

  /** Resolves at the next change. */
  get changed(): Promise<void> {
    return this.#changed.promise;
  }

  /** Texts have this name instead of the address. */
  nameAddress(address: string, name: string): void {
    this.#addresses.set(address, name);
  }

  /** Returns the state of each Pod. */
  pods(): Map<string, PodState> {
    return new Map([...this.#pods].map(([name, pod]) => [name, this.normalized(podState(pod))]));
  }

  /** Returns each event once, without those about Pods of earlier scenarios. */
  events(): SeenEvent[] {
    return [...this.#events.values()]
      .filter(({ ofPod }) => ofPod === undefined || this.#names.has(ofPod))
      .map(({ event }) => ({ ...event, note: this.#normalText(event.note) }));
  }

  /** Replaces uids, identities and addresses in all texts of a value. */
  normalized<T>(value: T): T {
    return JSON.parse(this.#normalText(JSON.stringify(value ?? null))) as T;
  }

  stop(): void {
    this.#stop.abort();
  }

  #normalText(text: string): string {
    let normal = text;
    for (const [address, name] of this.#addresses) normal = normal.replaceAll(address, name);
    return normal
      .replaceAll(/[\w.-]+_[0-9a-f]{8}-[0-9a-f-]{27}/g, '{identity}')
      .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (uid) => {
        const name = this.#names.get(uid);
        return name === undefined ? uid : `{uid of ${name}}`;
      });
  }

  async #watch(client: Client, path: string, notify: (type: string, object: unknown) => void): Promise<void> {
    const { metadata } = await client.json<{ metadata: { resourceVersion: string } }>({ path });
    const { resourceVersion } = metadata;
    const events = client.watch(path, { resourceVersion, signal: this.#stop.signal });
    const run = async () => {
      for await (const { type, object } of events) {
        if (type === 'BOOKMARK') continue;
        notify(type, object);
        const { resolve } = this.#changed;
        this.#changed = Promise.withResolvers<void>();
        resolve();
      }
    };
    // A watch that fails shows as a state that is never reached.
    run().catch(() => undefined);
  }

  #pod(type: string, object: PodObject): void {
    const { namespace, name = '', uid = '' } = object.metadata;
    const key = shortName(namespace, name);
    this.#names.set(uid, key);
    const previous = this.#pods.get(key);
    if (type === 'DELETED' && previous !== undefined && previous.object.metadata.uid !== uid) return;
    this.#pods.set(key, { object, gone: type === 'DELETED' });
  }

  #event(type: string, object: EventObject): void {
    const { regarding, related, action, reason, note = '' } = object;
    const { kind = '' } = regarding;
    if (type === 'DELETED' || (kind !== 'Pod' && kind !== 'Lease')) return;
    const about = shortName(regarding.namespace, regarding.name);
    const from = object.reportingController || object.deprecatedSource?.component;
    const event: SeenEvent = {
      about: kind === 'Pod' ? about : `${kind} ${about}`,
      type: object.type,
      reason,
      ...(action ? { action } : {}),
      ...(from ? { from } : {}),
      ...(related === undefined ? {} : { related: shortName(related.namespace, related.name) }),
      note,
    };
    const ofPod = kind === 'Pod' ? regarding.uid : undefined;
    this.#events.set(JSON.stringify([regarding.uid, event]), { ofPod, event });
  }
}

const conditionFields = ['status', 'reason', 'message'] as const;

function podState({ object: { metadata, spec, status }, gone }: SeenPod): PodState {
  const conditionOf = (wanted: string) => {
    const found = status.conditions?.find(({ type }) => type === wanted);
    if (found === undefined) return undefined;
    return Object.fromEntries(
      conditionFields.flatMap((field) => (found[field] ? [[field, found[field]]] : [])),
    );
  };
  const disruptionTarget = conditionOf('DisruptionTarget');
  const gates = spec.schedulingGates?.map(({ name }) => name) ?? [];
  return {
    node: spec.nodeName ?? null,
    condition: conditionOf('PodScheduled') ?? null,
    ...(status.nominatedNodeName ? { nominatedNodeName: status.nominatedNodeName } : {}),
    ...(gates.length > 0 ? { gates } : {}),
    ...(disruptionTarget === undefined ? {} : { disruptionTarget }),
    ...(gone ? { gone } : {}),
    ...(!gone && metadata.deletionTimestamp !== undefined ? { terminating: true } : {}),
  };
}
