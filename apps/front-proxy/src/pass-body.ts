import { Buffer } from 'node:buffer';
import type { ServerResponse } from 'node:http';
import { constants } from 'node:http2';
import type { BodySink, HttpResponse, ResponseBody } from '@annex/http';

/** A response to a client with the body of a backend's response. */
export interface Passing {
  res: HttpResponse;
  body: ResponseBody;
  /** The length is known, so the head may be held until there is much of the body. */
  isHeld: boolean;
  /** Writes the head; `beginning` contains the first bytes of the body if they are known. */
  writeHead(beginning?: Buffer): void;
  /** Called before the end of a complete response. */
  beforeEnd(): void;
}

// Go's servers hold back responses of known length: a response that breaks off earlier is not sent.
const heldMs = 200;
const heldBytes = { http1: 2048, http2: 4095 };

/** Passes a body on at the speed at which the client reads. If the backend breaks off, the response to the client breaks off too. */
export function passBody(passing: Passing): void {
  const pass = new Pass(passing);
  passing.body.to(pass);
  pass.begin();
}

class Pass implements BodySink {
  readonly #passing: Passing;
  readonly #limit: number;
  #held: Buffer[] | undefined;
  #heldLength = 0;
  #timer: NodeJS.Timeout | undefined;
  #hasHead = false;
  /** Writes that were not flushed to the connection. */
  #unsent = 0;
  /** True until the client has read. */
  #isPaused = false;
  #hasFailed = false;
  #isOver = false;

  constructor(passing: Passing) {
    this.#passing = passing;
    this.#limit = passing.res.stream === undefined ? heldBytes.http1 : heldBytes.http2;
    if (passing.isHeld) this.#held = [];
  }

  /** Called when the received bytes are passed on. */
  begin(): void {
    if (this.#isOver || this.#hasHead) return;
    if (this.#held === undefined) return this.#sendHead();
    this.#timer = setTimeout(() => this.#release(), heldMs);
    this.#passing.res.once('close', () => clearTimeout(this.#timer));
  }

  data(bytes: Buffer): void {
    if (this.#held === undefined) return this.#write(bytes);
    this.#held.push(bytes);
    this.#heldLength += bytes.length;
    if (this.#heldLength > this.#limit) this.#release();
  }

  end(): void {
    if (this.#held !== undefined) this.#release();
    this.#isOver = true;
    if (!this.#hasHead) this.#passing.writeHead();
    this.#passing.beforeEnd();
    this.#passing.res.end();
  }

  fail(): void {
    this.#isOver = true;
    this.#hasFailed = true;
    clearTimeout(this.#timer);
    if (this.#unsent === 0) breakOff(this.#passing.res);
  }

  #release(): void {
    clearTimeout(this.#timer);
    const held = Buffer.concat(this.#held ?? []);
    this.#held = undefined;
    if (held.length > 0) this.#write(held);
    else this.#sendHead();
  }

  #sendHead(): void {
    this.#hasHead = true;
    this.#passing.writeHead();
    this.#passing.res.flushHeaders();
  }

  #write(bytes: Buffer): void {
    const { res, body, writeHead } = this.#passing;
    if (!this.#hasHead) writeHead(bytes);
    this.#hasHead = true;
    this.#unsent++;
    const more = res.write(bytes, () => {
      this.#unsent--;
      if (this.#hasFailed && this.#unsent === 0) breakOff(res);
    });
    if (more || this.#isPaused) return;
    this.#isPaused = true;
    body.pause();
    res.once('drain', () => {
      this.#isPaused = false;
      body.resume();
    });
  }
}

/** Aborts a response so that the client can detect it, and does not take the received part for a complete body. */
function breakOff(res: HttpResponse): void {
  if (res.stream !== undefined) return res.stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  const { socket } = res as ServerResponse;
  if (socket === null) res.destroy();
  else socket.destroySoon();
}
