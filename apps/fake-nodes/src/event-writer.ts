import { formatTime, type KubeObject } from '@annex/machinery';
import type { Clock, Counter, Logger } from '@annex/runtime';
import type { Api } from './api.ts';

/** Events that wait to be written. Further ones are dropped: a kubelet limits them, too. */
export const maxWaitingEvents = 1000;

/** Events that are written at once. */
const concurrentEvents = 4;

/** The content of an event. */
export interface NewEvent {
  type: string;
  reason: string;
  message: string;
  /** The container of a Pod that it is about; empty for the object. */
  container: string;
}

/** Writes events in the background, as those of a kubelet. Nothing waits for them. */
export class EventWriter {
  readonly #api: Api;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #writes: Counter<'what'>;
  readonly #waiting: KubeObject[] = [];
  #running = 0;
  #created = 0n;

  constructor(api: Api, { clock, log, writes }: { clock: Clock; log: Logger; writes: Counter<'what'> }) {
    this.#api = api;
    this.#clock = clock;
    this.#log = log;
    this.#writes = writes;
  }

  write(object: KubeObject, nodeName: string, event: NewEvent): void {
    if (this.#waiting.length >= maxWaitingEvents) {
      this.#writes.inc({ what: 'dropped event' });
      return;
    }
    this.#waiting.push(this.#bodyOf(object, nodeName, event));
    if (this.#running < concurrentEvents) void this.#run();
  }

  /** Drops what waits. */
  stop(): void {
    this.#waiting.length = 0;
  }

  async #run(): Promise<void> {
    this.#running++;
    for (let body = this.#waiting.shift(); body !== undefined; body = this.#waiting.shift()) {
      this.#writes.inc({ what: 'event' });
      const path = `/api/v1/namespaces/${body.metadata.namespace}/events`;
      await this.#api.json({ method: 'POST', path, body }).catch((error: unknown) => {
        this.#log.debug('an event was rejected', { error: String(error) });
      });
    }
    this.#running--;
  }

  #bodyOf(object: KubeObject, nodeName: string, { container, ...event }: NewEvent): KubeObject {
    const { metadata, apiVersion = 'v1', kind = 'Pod' } = object;
    const time = formatTime(this.#clock.now());
    // The clock has no nanoseconds, but names must be unique.
    const nanoseconds = BigInt(Math.floor(this.#clock.now())) * 1_000_000n + (this.#created++ % 1_000_000n);
    const namespace = metadata.namespace ?? 'default';
    return {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { namespace, name: `${metadata.name}.${nanoseconds.toString(16)}` },
      involvedObject: {
        apiVersion,
        kind,
        ...(metadata.namespace === undefined ? {} : { namespace }),
        name: metadata.name ?? '',
        uid: metadata.uid ?? '',
        ...(container === '' ? {} : { fieldPath: `spec.containers{${container}}` }),
      },
      ...event,
      source: { component: 'kubelet', host: nodeName },
      firstTimestamp: time,
      lastTimestamp: time,
      count: 1,
      reportingComponent: 'kubelet',
      reportingInstance: nodeName,
    };
  }
}
