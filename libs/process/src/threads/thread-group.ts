import type { MessagePort } from 'node:worker_threads';
import { type CallHandler, ThreadLink } from './thread-link.ts';

/** Milliseconds for the other threads to respond, for example with their metrics. One that is stuck is left out. */
export const otherThreadsTimeoutMs = 3_000;

/** The threads of a process that serve one port, as one of them sees the others. */
export interface ThreadGroup {
  /** 0 for the main thread. */
  readonly index: number;
  /** The number of threads. */
  readonly size: number;
  /** The keys of TLS session tickets, which are valid in all threads. */
  readonly ticketKeys: Buffer;
  /** Serves calls of the other threads. The argument and the result are copied. */
  handle<A>(name: string, handler: (argument: A) => unknown): void;
  /** Calls a handler of the main thread. */
  callMain<R>(name: string, argument?: unknown): Promise<R>;
  /** Calls the handlers of all other threads. Resolves to the results of those that respond in time. */
  callOthers<R>(name: string, argument?: unknown): Promise<R[]>;
  /** Starts the other threads, which will listen on this port. Only in the main thread. */
  start?(port: number): Promise<void>;
  /** Lets the other threads listen. Only in the main thread. */
  open?(): Promise<void>;
  /** Stops the other threads. Rejects if one does not stop well. Only in the main thread. */
  stop?(): Promise<void>;
  /** Resolves to the error of a thread that ended. Only in the main thread. */
  readonly ended?: Promise<Error>;
}

interface ToOthers {
  name: string;
  argument: unknown;
}

/** The group as the main thread sees it, which passes the calls of the others on. */
export class MainThreadGroup implements ThreadGroup {
  readonly index = 0;
  readonly size: number;
  readonly ticketKeys: Buffer;
  readonly #handlers = new Map<string, CallHandler>();
  readonly #links: ThreadLink[] = [];

  constructor(size: number, ticketKeys: Buffer) {
    this.size = size;
    this.ticketKeys = ticketKeys;
  }

  /** Adds a thread. Returns the link to it. */
  protected add(port: MessagePort): ThreadLink {
    const passOn: CallHandler = ({ name, argument }: ToOthers) => this.#callAll(name, argument, link);
    const link: ThreadLink = new ThreadLink(port, (name) =>
      name === toOthers ? passOn : this.#handlers.get(name),
    );
    this.#links.push(link);
    return link;
  }

  handle<A>(name: string, handler: (argument: A) => unknown): void {
    this.#handlers.set(name, handler as CallHandler);
  }

  async callMain<R>(name: string, argument?: unknown): Promise<R> {
    const handler = this.#handlers.get(name);
    if (handler === undefined) throw new Error(`the main thread does not serve ${name}`);
    return (await handler(argument as never)) as R;
  }

  callOthers<R>(name: string, argument?: unknown): Promise<R[]> {
    return inTime(this.#links.map((link) => link.call(name, argument) as Promise<R>));
  }

  #callAll(name: string, argument: unknown, caller: ThreadLink): Promise<unknown[]> {
    const others = this.#links.filter((link) => link !== caller);
    return inTime([this.callMain(name, argument), ...others.map((link) => link.call(name, argument))]);
  }
}

/** The group as another thread sees it. */
export class MemberThreadGroup implements ThreadGroup {
  readonly index: number;
  readonly size: number;
  readonly ticketKeys: Buffer;
  readonly #handlers = new Map<string, CallHandler>();
  readonly #main: ThreadLink;

  constructor({ index, size, ticketKeys, port }: MemberThread) {
    this.index = index;
    this.size = size;
    this.ticketKeys = Buffer.from(ticketKeys);
    this.#main = new ThreadLink(port, (name) => this.#handlers.get(name));
  }

  handle<A>(name: string, handler: (argument: A) => unknown): void {
    this.#handlers.set(name, handler as CallHandler);
  }

  callMain<R>(name: string, argument?: unknown): Promise<R> {
    return this.#main.call(name, argument) as Promise<R>;
  }

  async callOthers<R>(name: string, argument?: unknown): Promise<R[]> {
    const results = this.#main.call(toOthers, { name, argument } satisfies ToOthers) as Promise<R[]>;
    return (await inTime([results])).flat() as R[];
  }

  close(): void {
    this.#main.close();
  }
}

/** What a thread needs to join a group. */
export interface MemberThread {
  index: number;
  size: number;
  ticketKeys: Uint8Array;
  /** Connects it with the main thread. */
  port: MessagePort;
}

/** The call of the main thread that calls all threads except the caller. */
const toOthers = 'others';

/** Resolves to the results of the calls that succeed in time. */
async function inTime<R>(calls: readonly Promise<R>[]): Promise<R[]> {
  const results: R[] = [];
  const added = calls.map((call) => call.then((result) => results.push(result)));
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((resolve) => (timer = setTimeout(resolve, otherThreadsTimeoutMs).unref()));
  await Promise.race([Promise.allSettled(added), late]);
  clearTimeout(timer);
  return [...results];
}
