import { Buffer } from 'node:buffer';
import type { HttpResponse } from '@annex/http';
import { FlushSchedule } from './flush-schedule.ts';

/** A watch continues to write existing objects below these unsent bytes. */
export const fewUnsentBytes = 1024 * 1024;

/** Where the encoded events of a watch are written. */
export interface WatchOutput {
  write(event: Buffer): void;
  writeAll(events: readonly Buffer[]): void;
  /** Resolves when the written bytes have been sent or the output is closed; `undefined` if few bytes are buffered. */
  drained(): Promise<void> | undefined;
  /** Ends the output; buffered bytes are still sent. */
  readonly end: () => void;
  /** Resolves when the output is closed by either side. */
  readonly closed: Promise<void>;
}

/** That of all watches of this thread. */
const flushes = new FlushSchedule();

/**
 * The response to a watch. Events of one turn of the event loop are one write, and those of many watches wait for each other. A client that reads too slowly is disconnected
 * without an effect on others.
 */
export class WatchStream implements WatchOutput {
  readonly #res: HttpResponse;
  readonly #maxBufferedBytes: number;
  /** The events that are not written yet. */
  #events: Buffer[] = [];
  readonly closed: Promise<void>;

  constructor(res: HttpResponse, maxBufferedBytes: number) {
    this.#res = res;
    this.#maxBufferedBytes = maxBufferedBytes;
    this.closed = new Promise((resolve) => {
      if (res.destroyed) resolve();
      else res.once('close', () => resolve());
    });
  }

  write(event: Buffer): void {
    this.#events.push(event);
    if (this.#events.length === 1) flushes.add(this.#flush);
  }

  writeAll(events: readonly Buffer[]): void {
    for (const event of events) this.write(event);
  }

  readonly #flush = (): void => {
    const events = this.#events;
    if (events.length === 0) return;
    this.#events = [];
    if (this.#res.destroyed || this.#res.writableEnded) return;
    this.#res.write(joinEvents(events));
    if (this.#res.writableLength > this.#maxBufferedBytes) this.#res.destroy();
  };

  drained(): Promise<void> | undefined {
    this.#flush();
    const { promise, resolve } = Promise.withResolvers<void>();
    if (this.#res.destroyed || this.#res.writableLength < fewUnsentBytes) return undefined;
    this.#res.once('drain', resolve);
    return Promise.race([promise, this.closed]).finally(() => this.#res.off('drain', resolve));
  }

  readonly end = (): void => {
    this.#flush();
    if (!this.#res.destroyed && !this.#res.writableEnded) this.#res.end();
  };
}

/** Joined events up to this length are kept for the next watch, in bytes. */
const keptBytes = 1024 * 1024;

let last: { events: readonly Buffer[]; joined: Buffer } = { events: [], joined: Buffer.alloc(0) };

/** Joins events. Watches of one form share the events of a turn, and so the joined bytes. */
function joinEvents(events: readonly Buffer[]): Buffer {
  const [first] = events;
  if (events.length === 1 && first) return first;
  if (events.length === last.events.length && events.every((event, i) => event === last.events[i]))
    return last.joined;
  const joined = Buffer.concat(events);
  if (joined.length <= keptBytes) last = { events, joined };
  return joined;
}
