import type { MessagePort, Transferable } from 'node:worker_threads';

/** Handles a call from another thread. */
export type CallHandler = (argument: never) => unknown;

type LinkMessage =
  | { call: number; name: string; argument: unknown }
  | { callDone: number; result: unknown }
  | { callDone: number; error: string };

/** Calls between two threads over a port. Arguments and results are copied. */
export class ThreadLink {
  readonly #port: MessagePort;
  readonly #handlerOf: (name: string) => CallHandler | undefined;
  readonly #calls = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>();
  #lastCall = 0;
  #isClosed = false;

  /** `handlerOf` returns what serves the calls of the other end with a name. */
  constructor(port: MessagePort, handlerOf: (name: string) => CallHandler | undefined) {
    this.#port = port;
    this.#handlerOf = handlerOf;
    port.on('message', (message: LinkMessage) => void this.#receive(message));
    port.once('close', () => this.#end());
  }

  /** Resolves to the result of a handler of the other end. Rejects when the other thread has ended. */
  call(name: string, argument?: unknown, transfer: readonly Transferable[] = []): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    if (this.#isClosed) reject(endedError());
    else {
      const call = ++this.#lastCall;
      this.#calls.set(call, { resolve, reject });
      this.#port.postMessage({ call, name, argument } satisfies LinkMessage, transfer);
    }
    return promise;
  }

  close(): void {
    this.#port.close();
  }

  async #receive(message: LinkMessage): Promise<void> {
    if ('call' in message) return await this.#serve(message);
    const call = this.#calls.get(message.callDone);
    this.#calls.delete(message.callDone);
    if ('error' in message) call?.reject(new Error(message.error));
    else call?.resolve(message.result);
  }

  async #serve({ call, name, argument }: Extract<LinkMessage, { call: number }>): Promise<void> {
    try {
      const handler = this.#handlerOf(name);
      if (handler === undefined) throw new Error(`the thread does not serve ${name}`);
      const result = await handler(argument as never);
      this.#port.postMessage({ callDone: call, result } satisfies LinkMessage);
    } catch (error) {
      this.#port.postMessage({ callDone: call, error: String(error) } satisfies LinkMessage);
    }
  }

  #end(): void {
    this.#isClosed = true;
    for (const { reject } of this.#calls.values()) reject(endedError());
    this.#calls.clear();
  }
}

const endedError = (): Error => new Error('the thread has ended');
