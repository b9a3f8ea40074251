import { hostname } from 'node:os';
import { formatMicroTime, type KubeObject, StatusError } from '@annex/machinery';
import type { Clock, Logger } from '@annex/runtime';
import type { SchedulerApi } from './scheduler-api.ts';

/** An event about an object. */
export interface SchedulerEvent {
  regarding: KubeObject;
  type: 'Normal' | 'Warning';
  reason: string;
  action: string;
  note: string;
}

interface Recorded {
  path: string;
  /** The last write of the event; the next one follows it. */
  written: Promise<boolean>;
  count: number;
  last: number;
}

/** Milliseconds in which a repeated event becomes part of a series. Source: client-go. */
const seriesMs = 6 * 60_000;
/** Events that are remembered to find repetitions. */
export const maxRememberedSchedulerEvents = 4_096;
/** Events that may be on their way; further ones are dropped, as by client-go. */
export const maxSchedulerEventsInFlight = 1_000;
/** Bytes of a note; longer ones are cut. Source: kube-apiserver. */
export const maxNoteBytes = 1_024;

/** Writes events of `events.k8s.io/v1` without delaying its callers. A repeated event becomes a series. */
export class EventRecorder {
  readonly #controller: string;
  readonly #deps: { api: SchedulerApi; clock: Clock; log: Logger };
  readonly #recorded = new Map<string, Recorded>();
  readonly #inFlight = new Set<Promise<unknown>>();
  #created = 0n;

  constructor(controller: string, deps: { api: SchedulerApi; clock: Clock; log: Logger }) {
    this.#controller = controller;
    this.#deps = deps;
  }

  record({ regarding, type, reason, action, note: text }: SchedulerEvent): void {
    if (this.#inFlight.size >= maxSchedulerEventsInFlight) return;
    const note = cut(text);
    const key = JSON.stringify([regarding.metadata.uid, type, reason, action, note]);
    const now = this.#deps.clock.now();
    const known = this.#recorded.get(key);
    if (known !== undefined && now - known.last < seriesMs) return this.#repeat(known, now);
    const { namespace = 'default', name = '' } = regarding.metadata;
    // The clock has no nanoseconds, but names must be unique.
    const nanoseconds = BigInt(now) * 1_000_000n + (this.#created++ % 1_000_000n);
    const body = {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { namespace, name: `${name}.${nanoseconds.toString(16)}` },
      eventTime: formatMicroTime(now),
      reportingController: this.#controller,
      reportingInstance: `${this.#controller}-${hostname()}`,
      action,
      reason,
      regarding: referenceTo(regarding),
      note,
      type,
    };
    const collection = `/apis/events.k8s.io/v1/namespaces/${encodeURIComponent(namespace)}/events`;
    const written = this.#write({ method: 'POST', path: collection, body });
    this.#recorded.delete(key);
    this.#recorded.set(key, { path: `${collection}/${body.metadata.name}`, written, count: 1, last: now });
    for (const oldest of this.#recorded.keys()) {
      if (this.#recorded.size <= maxRememberedSchedulerEvents) break;
      this.#recorded.delete(oldest);
    }
  }

  /** Resolves when the events are written. */
  async stop(): Promise<void> {
    await Promise.all(this.#inFlight);
  }

  #repeat(known: Recorded, now: number): void {
    known.count++;
    known.last = now;
    const body = { series: { count: known.count, lastObservedTime: formatMicroTime(now) } };
    const headers = { 'content-type': 'application/merge-patch+json' };
    known.written = known.written.then((isWritten) =>
      isWritten ? this.#write({ method: 'PATCH', path: known.path, headers, body }) : false,
    );
  }

  #write(request: Parameters<SchedulerApi['json']>[0]): Promise<boolean> {
    const written = this.#deps.api.json(request).then(
      () => true,
      (error: unknown) => {
        // The namespace may be terminating: events are dropped.
        const text = error instanceof StatusError ? error.message : String(error);
        this.#deps.log.debug('an event was not written', { error: text });
        return false;
      },
    );
    this.#inFlight.add(written);
    void written.then(() => this.#inFlight.delete(written));
    return written;
  }
}

const kinds = new Map([['Lease', 'coordination.k8s.io/v1']]);

function referenceTo({ apiVersion, kind = 'Pod', metadata }: KubeObject): object {
  const { namespace, name, uid, resourceVersion } = metadata;
  return { apiVersion: apiVersion ?? kinds.get(kind) ?? 'v1', kind, namespace, name, uid, resourceVersion };
}

function cut(note: string): string {
  if (note.length <= maxNoteBytes / 4) return note;
  const bytes = Buffer.from(note);
  return bytes.length <= maxNoteBytes ? note : `${bytes.subarray(0, maxNoteBytes - 4).toString()} ...`;
}
