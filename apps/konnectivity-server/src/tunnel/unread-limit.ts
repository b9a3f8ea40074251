import { maxUnreadClientsBytes } from '../limits.ts';

/** A connection whose client may not read. */
export interface UnreadConnection {
  /** Bytes that wait for the client. */
  readonly unsentBytes: number;
  /** Ends the connection, and drops what waits for its client. */
  abort(reason: string): void;
}

/** The bytes are added up after so many of the limit have arrived: each time, all connections are visited. */
const share = 8;

/** Limits the bytes that wait for all clients together. Of those clients, the ones with the most bytes are disconnected. */
export class UnreadLimit {
  readonly #connections: () => Iterable<UnreadConnection>;
  readonly #maxBytes: number;
  #received = 0;

  constructor(connections: () => Iterable<UnreadConnection>, maxBytes = maxUnreadClientsBytes) {
    this.#connections = connections;
    this.#maxBytes = maxBytes;
  }

  /** These bytes have arrived for clients. */
  received(bytes: number): void {
    this.#received += bytes;
    if (this.#received < this.#maxBytes / share) return;
    this.#received = 0;
    this.#enforce();
  }

  #enforce(): void {
    const unread = [...this.#connections()]
      .map((connection) => ({ connection, bytes: connection.unsentBytes }))
      .filter(({ bytes }) => bytes > 0);
    let excess = unread.reduce((sum, { bytes }) => sum + bytes, 0) - this.#maxBytes;
    if (excess <= 0) return;
    for (const { connection, bytes } of unread.sort((a, b) => b.bytes - a.bytes)) {
      connection.abort('too many bytes wait for clients that do not read');
      excess -= bytes;
      if (excess <= 0) return;
    }
  }
}
