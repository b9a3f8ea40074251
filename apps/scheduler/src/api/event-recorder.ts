import { hostname } from 'node:os';
import { formatMicroTime, isReason, type KubeObject, StatusError } from '@annex/machinery';
import type { Clock, Logger, Timer } from '@annex/runtime';
import type { SchedulerApi } from './scheduler-api.ts';

/** An event about an object. */
export interface SchedulerEvent {
  regarding: KubeObject;
  /** A second object, such as the Pod that another one makes room for. */
  related?: KubeObject;
  type: 'Normal' | 'Warning';
  reason: string;
  action: string;
  note: string;
}

interface Recorded {
  body: { metadata: { name: string }; series?: { count: number; lastObservedTime: string } };
  collection: string;
  count: number;
  /** Milliseconds since 1970: when it happened last. */
  last: number;
  /** The count that was written last. */
  written: number;
  /** The last write; the next one follows it. */
  writing: Promise<void>;
}

/** An event that happens again within this time is part of a series, whose final count is written after it. Source: client-go. */
const seriesMs = 6 * 60_000;
/** The count of a series that does not end is written at this interval. Source: client-go. */
const refreshMs = 30 * 60_000;
/** A write that did not reach the server is tried again, so many times at this interval. Source: client-go. */
const retryMs = 10_000;
export const maxEventTries = 12;
/** Events that are remembered to find repetitions. */
export const maxRememberedSchedulerEvents = 4_096;
/** Events that may be on their way; further ones are dropped, as by client-go. */
export const maxSchedulerEventsInFlight = 1_000;
/** Bytes of a note; longer ones are cut. Source: kube-apiserver. */
export const maxNoteBytes = 1_024;
/** Milliseconds that the end of a recorder waits for its writes. */
export const eventFlushTimeoutMs = 5_000;

type Write = Parameters<SchedulerApi['json']>[0];

/**
 * Writes events of `events.k8s.io/v1` without delaying its callers, as client-go does: an event that is repeated becomes a series. Its first
 * repetition is written, and the final count when the series ends, or the recorder stops.
 */
export class EventRecorder {
  readonly #controller: string;
  readonly #deps: { api: SchedulerApi; clock: Clock; log: Logger };
  readonly #recorded = new Map<string, Recorded>();
  readonly #inFlight = new Set<Promise<unknown>>();
  readonly #ending = new AbortController();
  #timers: Timer[] | undefined;
  #created = 0n;

  constructor(controller: string, deps: { api: SchedulerApi; clock: Clock; log: Logger }) {
    this.#controller = controller;
    this.#deps = deps;
  }

  record(event: SchedulerEvent): void {
    if (this.#inFlight.size >= maxSchedulerEventsInFlight || this.#ending.signal.aborted) return;
    this.#startTimers();
    const { regarding, related, type, reason, action } = event;
    const references = {
      regarding: referenceTo(regarding),
      ...(related && { related: referenceTo(related) }),
    };
    const key = JSON.stringify([type, reason, action, references]);
    const now = this.#deps.clock.now();
    const known = this.#recorded.get(key);
    if (known !== undefined) return this.#repeat(known, now);
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
      ...references,
      note: cut(event.note),
      type,
    };
    const collection = `/apis/events.k8s.io/v1/namespaces/${encodeURIComponent(namespace)}/events`;
    const created = { body, collection, count: 1, last: now, written: 0, writing: Promise.resolve() };
    this.#write(created);
    this.#recorded.set(key, created);
    for (const oldest of this.#recorded.keys()) {
      if (this.#recorded.size <= maxRememberedSchedulerEvents) break;
      this.#recorded.delete(oldest);
    }
  }

  /** Writes the counts of series. Resolves when the events are written, or after 5 s. */
  async stop(): Promise<void> {
    for (const timer of this.#timers ?? []) timer.cancel();
    this.#ending.abort();
    for (const recorded of this.#recorded.values())
      if (recorded.written < recorded.count) this.#write(recorded);
    this.#recorded.clear();
    const late = this.#deps.clock.sleep(eventFlushTimeoutMs);
    await Promise.race([Promise.all(this.#inFlight), late]);
  }

  #startTimers(): void {
    this.#timers ??= [
      this.#deps.clock.setInterval(() => this.#finish(), seriesMs),
      this.#deps.clock.setInterval(() => this.#refresh(), refreshMs),
    ];
  }

  #repeat(known: Recorded, now: number): void {
    known.count++;
    known.last = now;
    if (known.count === 2) this.#write(known);
  }

  /** Forgets events that have not happened for a while; the final count of a series is written. */
  #finish(): void {
    const before = this.#deps.clock.now() - seriesMs;
    for (const [key, recorded] of this.#recorded) {
      if (recorded.last > before) continue;
      this.#recorded.delete(key);
      if (recorded.count > 2) this.#write(recorded);
    }
  }

  #refresh(): void {
    for (const recorded of this.#recorded.values()) if (recorded.count > 1) this.#write(recorded);
  }

  /** Writes an event in its current count, after its earlier writes. */
  #write(recorded: Recorded): void {
    const { count, last } = recorded;
    recorded.written = count;
    const series = count === 1 ? undefined : { count, lastObservedTime: formatMicroTime(last) };
    const written = recorded.writing.then(() => this.#tryToWrite(recorded, series));
    recorded.writing = written;
    this.#inFlight.add(written);
    void written.then(() => this.#inFlight.delete(written));
  }

  async #tryToWrite({ body, collection }: Recorded, series: Recorded['body']['series']): Promise<void> {
    const { clock, log } = this.#deps;
    for (let tries = 1; ; tries++) {
      try {
        return await this.#send(body, collection, series);
      } catch (error) {
        // The namespace may be terminating: what the server refuses is dropped.
        const isRefused = error instanceof StatusError;
        log.debug('an event was not written', { error: isRefused ? error.message : String(error) });
        if (isRefused || tries === maxEventTries || this.#ending.signal.aborted) return;
        // A recorder that stops tries once more at once.
        await clock.sleep(retryMs, this.#ending.signal).catch(() => undefined);
      }
    }
  }

  async #send(body: Recorded['body'], collection: string, series: Recorded['body']['series']): Promise<void> {
    const create: Write = { method: 'POST', path: collection, body: { ...body, ...(series && { series }) } };
    if (series === undefined) return void (await this.#deps.api.json(create));
    const path = `${collection}/${encodeURIComponent(body.metadata.name)}`;
    const headers = { 'content-type': 'application/merge-patch+json' };
    try {
      await this.#deps.api.json({ method: 'PATCH', path, headers, body: { series } });
    } catch (error) {
      // Its time to live may have ended.
      if (!isReason(error, 'NotFound')) throw error;
      await this.#deps.api.json(create);
    }
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
