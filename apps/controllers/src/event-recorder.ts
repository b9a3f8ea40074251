import { formatTime, type KubeObject, StatusError } from '@annex/machinery';
import type { ControllerDeps } from './controller.ts';
import { WorkQueue } from './work-queue.ts';

/** The object of an event. */
export interface Involved {
  apiVersion: string;
  kind: string;
  /** Empty for cluster-scoped objects. */
  namespace: string;
  name: string;
  uid: string;
}

/** The content of an event. */
export interface Occurrence {
  involved: Involved;
  type: 'Normal' | 'Warning';
  /** One word in upper camel case. */
  reason: string;
  message: string;
}

type RecorderDeps = Pick<ControllerDeps, 'api' | 'clock' | 'log' | 'metrics'>;

interface Recorded {
  occurrence: Occurrence;
  times: number;
  last: number;
  event: KubeObject | undefined;
}

/** Maximum number of events whose count is incremented when they repeat, as in client-go. */
export const maxRememberedEvents = 4096;

/**
 * Writes Events as client-go's recorder does: a repeated event of the same object increments the count of the existing event. Events that
 * the server rejects are dropped, and callers do not wait for events.
 */
export class EventRecorder {
  readonly #component: string;
  readonly #deps: RecorderDeps;
  readonly #recorded = new Map<string, Recorded>();
  readonly #queue: WorkQueue<Recorded>;
  #created = 0n;

  constructor(component: string, deps: RecorderDeps) {
    this.#component = component;
    this.#deps = deps;
    this.#queue = new WorkQueue<Recorded>(
      { name: `${component}_events`, workers: 1, work: (one) => this.#write(one) },
      deps,
    );
    this.#queue.start();
  }

  record(occurrence: Occurrence): void {
    const key = JSON.stringify(occurrence);
    const known = this.#recorded.get(key) ?? { occurrence, times: 0, last: 0, event: undefined };
    known.times++;
    known.last = this.#deps.clock.now();
    this.#recorded.delete(key);
    this.#recorded.set(key, known);
    for (const oldest of this.#recorded.keys()) {
      if (this.#recorded.size <= maxRememberedEvents) break;
      this.#recorded.delete(oldest);
    }
    this.#queue.add(known);
  }

  stop(): Promise<void> {
    return this.#queue.stop();
  }

  async #write(recorded: Recorded): Promise<void> {
    try {
      recorded.event = await (recorded.event === undefined
        ? this.#create(recorded)
        : this.#countUp(recorded, recorded.event));
    } catch (error) {
      // The namespace may be terminating, or the event deleted: the next occurrence creates a new event.
      if (!(error instanceof StatusError)) throw error;
      recorded.event = undefined;
      this.#deps.log.debug('an event was rejected', { error: error.message });
    }
  }

  #create({ occurrence, times, last }: Recorded): Promise<KubeObject> {
    const { involved, type, reason, message } = occurrence;
    const namespace = involved.namespace || 'default';
    const component = this.#component;
    const time = formatTime(last);
    // The clock has no nanoseconds, but names must be unique.
    const nanoseconds = BigInt(last) * 1_000_000n + (this.#created++ % 1_000_000n);
    const { namespace: _, ...clusterScoped } = involved;
    const body = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { namespace, name: `${involved.name}.${nanoseconds.toString(16)}` },
      involvedObject: involved.namespace === '' ? clusterScoped : involved,
      reason,
      message,
      source: { component },
      firstTimestamp: time,
      lastTimestamp: time,
      count: times,
      type,
      eventTime: null,
      reportingComponent: component,
      reportingInstance: '',
    };
    return this.#deps.api.json({ method: 'POST', path: eventsOf(namespace), body });
  }

  #countUp({ times, last }: Recorded, { metadata }: KubeObject): Promise<KubeObject> {
    return this.#deps.api.json({
      method: 'PATCH',
      path: `${eventsOf(metadata.namespace ?? '')}/${metadata.name}`,
      headers: { 'content-type': 'application/strategic-merge-patch+json' },
      body: { count: times, lastTimestamp: formatTime(last) },
    });
  }
}

const eventsOf = (namespace: string): string => `/api/v1/namespaces/${namespace}/events`;
