import { initialWindowBytes, maxSentDataBytes } from '../limits.ts';
import { PacketError } from '../packet/wire.ts';

/** What a sender may send on one connection: it starts with {@link initialWindowBytes}, and WINDOW packets add to it. */
export class SendWindow {
  #credit = initialWindowBytes;
  #waiting: (() => void) | undefined;

  /** A packet may be sent, of any size up to {@link maxSentDataBytes}. */
  get isOpen(): boolean {
    return this.#credit > 0;
  }

  sent(bytes: number): void {
    this.#credit -= bytes;
  }

  /** Throws PacketError for more than was sent. */
  granted(bytes: number): void {
    if (this.#credit + bytes > initialWindowBytes)
      throw new PacketError('a window is larger than its connection');
    this.#credit += bytes;
    if (!this.isOpen) return;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.();
  }

  /** Calls back once, when the window is open. There is one waiting sender. */
  whenOpen(callback: () => void): void {
    if (this.isOpen) callback();
    else this.#waiting = callback;
  }
}

/** What a receiver let its peer send on one connection. */
export class ReceiveWindow {
  readonly #grant: (bytes: number) => void;
  /** Bytes that were received, and not granted again. */
  #used = 0;
  #consumed = 0;

  /** `grant` sends a WINDOW packet. */
  constructor(grant: (bytes: number) => void) {
    this.#grant = grant;
  }

  /** Throws PacketError for a peer that sends more than it may. */
  received(bytes: number): void {
    this.#used += bytes;
    if (this.#used > initialWindowBytes + maxSentDataBytes)
      throw new PacketError('a connection exceeds its window');
  }

  /** These bytes left the process: the peer may send as many. */
  consumed(bytes: number): void {
    this.#consumed += bytes;
    if (this.#consumed < initialWindowBytes / 2) return;
    this.#grant(this.#consumed);
    this.#used -= this.#consumed;
    this.#consumed = 0;
  }
}
