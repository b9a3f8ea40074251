import type { PacketStream } from '../grpc/packet-stream.ts';

/**
 * Bytes that wait for one connection of a peer without flow control. Then the stream is not read until the connection takes some,
 * and the connection is closed if it does not.
 */
export const maxQueuedBytes = 8 * 1024 * 1024;

/** Milliseconds that a connection may keep a stream from being read, without taking a byte. */
export const stalledQueueTimeoutMs = 500;

/** What waits for one connection. */
export interface Queue {
  readonly unsentBytes: number;
  whenDrained(callback: () => void): void;
}

/** Keeps a stream from being read while queues are full that its peer cannot be told of. */
export class StreamHold {
  readonly #packets: PacketStream;
  readonly #held = new Map<Queue, NodeJS.Timeout>();

  constructor(packets: PacketStream) {
    this.#packets = packets;
  }

  get isHolding(): boolean {
    return this.#held.size > 0;
  }

  /** Holds the stream until the queue is drained; calls back if nobody takes from it. */
  hold(queue: Queue, stalled: () => void): void {
    if (this.#held.has(queue)) return;
    this.#packets.pause();
    let unsent = queue.unsentBytes;
    const timer = setInterval(() => {
      const isStalled = queue.unsentBytes >= unsent;
      unsent = queue.unsentBytes;
      if (isStalled) stalled();
    }, stalledQueueTimeoutMs).unref();
    this.#held.set(queue, timer);
    queue.whenDrained(() => this.release(queue));
  }

  /** The queue is drained, or its connection is closed. */
  release(queue: Queue): void {
    clearInterval(this.#held.get(queue));
    if (this.#held.delete(queue) && this.#held.size === 0) this.#packets.resume();
  }
}
