/**
 * The signal that ends a request: at a time, or with the signal of its caller. Nothing of it stays after the request. `AbortSignal.timeout` keeps its
 * timer until its end, and a signal remembers all that `AbortSignal.any` derived from it: V8 cleared those of thousands of requests in one turn.
 */
export class RequestEnd implements Disposable {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal | undefined;
  readonly #timer: NodeJS.Timeout;
  readonly #follow = (): void => this.#controller.abort(this.#outer?.reason);

  constructor(timeoutMs: number, outer: AbortSignal | undefined) {
    this.#outer = outer;
    this.#timer = setTimeout(() => this.#controller.abort(timedOut()), timeoutMs).unref();
    if (outer?.aborted) this.#follow();
    else outer?.addEventListener('abort', this.#follow);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#outer?.removeEventListener('abort', this.#follow);
  }
}

/** The error of `AbortSignal.timeout`. */
const timedOut = (): DOMException =>
  new DOMException('The operation was aborted due to timeout', 'TimeoutError');
