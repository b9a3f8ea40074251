import { Buffer } from 'node:buffer';
import type { ServerResponse } from 'node:http';
import { type Http2ServerResponse, constants } from 'node:http2';
import type { ResponseBody, BodySink } from '@annex/http';

/** An answer to a client whose body comes from a backend. */
export interface Passing {
  res: ServerResponse;
  body: ResponseBody;
  /** Its length was said: it need not be sent before there is much of it. */
  isHeld: boolean;
  /** Writes the head; told how the body begins where that is known by then. */
  writeHead(beginning?: Buffer): void;
  /** Called before the end of a whole answer. */
  beforeEnd(): void;
}

// As Go's servers hold back an answer of known length: what breaks off before is no answer at all.
const heldMs = 200;
const heldBytes = { http1: 2048, http2: 4095 };

/** Passes a body on, no faster than the client reads it. What the backend breaks off is broken off for the client too. */
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
  /** Writes that have not reached the connection. */
  #unsent = 0;
  /** The client has to read first. */
  #waits = false;
  #hasFailed = false;
  #isOver = false;

  constructor(passing: Passing) {
    this.#passing = passing;
    this.#limit = streamOf(passing.res) === undefined ? heldBytes.http1 : heldBytes.http2;
    if (passing.isHeld) this.#held = [];
  }

  /** Called when what was here is given. */
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
    if (more || this.#waits) return;
    this.#waits = true;
    body.pause();
    res.once('drain', () => {
      this.#waits = false;
      body.resume();
    });
  }
}

const streamOf = (res: ServerResponse): Http2ServerResponse['stream'] | undefined =>
  (res as unknown as Partial<Http2ServerResponse>).stream;

/** Ends an answer in its midst, so that the client knows it: nobody may take what came for all there is. */
function breakOff(res: ServerResponse): void {
  const stream = streamOf(res);
  if (stream !== undefined) stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  else if (res.socket === null) res.destroy();
  else res.socket.destroySoon();
}
