import type { Socket } from 'node:net';

/** The connection limits of a listener; 0 for no limit. */
export interface ConnectionLimits {
  /** The total limit. */
  maxConnections: number;
  /** The limit per IPv4 address, or per IPv6 /64 network. */
  maxConnectionsPerAddress: number;
}

/** The default limits of every listener. A TLS connection uses about 80 KiB. */
export const defaultConnectionLimits: ConnectionLimits = {
  maxConnections: 10_000,
  maxConnectionsPerAddress: 4_000,
};

/** The share of both limits for unauthenticated connections, including half-open handshakes. */
export const unauthenticatedShare = 1 / 4;

/** A connection that counts towards the limits. */
export class CountedConnection {
  readonly socket: Socket;
  readonly #groups: readonly Group[];
  #isAuthenticated = false;
  #isCounted = true;

  constructor(socket: Socket, groups: readonly Group[]) {
    this.socket = socket;
    this.#groups = groups;
    for (const group of groups) group.add(this);
  }

  get isAuthenticated(): boolean {
    return this.#isAuthenticated;
  }

  /** Records that a user was authenticated on it: it is no longer closed in favor of another one. */
  authenticated(): void {
    if (this.#isAuthenticated) return;
    this.#isAuthenticated = true;
    for (const { unauthenticated } of this.#groups) unauthenticated.delete(this);
  }

  /** Called when it is closed, or about to be. */
  leave(): void {
    if (!this.#isCounted) return;
    this.#isCounted = false;
    for (const group of this.#groups) group.remove(this);
  }
}

/** Connections that share a limit. */
class Group {
  readonly #max: number;
  count = 0;
  /** In order of arrival. */
  readonly unauthenticated = new Set<CountedConnection>();

  constructor(max: number) {
    this.#max = max === 0 ? Infinity : max;
  }

  get isFull(): boolean {
    return (
      this.count >= this.#max ||
      this.unauthenticated.size >= Math.max(1, Math.floor(this.#max * unauthenticatedShare))
    );
  }

  add(connection: CountedConnection): void {
    this.count++;
    this.unauthenticated.add(connection);
  }

  remove(connection: CountedConnection): void {
    this.count--;
    this.unauthenticated.delete(connection);
  }
}

/**
 * Limits the connections of a listener from the moment they are accepted. At the limit, the oldest connection
 * without a user is closed in favor of the new one: a client that opens connections without credentials
 * closes its own first. If users own all of them, the new one is closed.
 */
export class ConnectionLimiter {
  readonly #maxPerAddress: number;
  readonly #onClosed: (address: string) => void;
  readonly #all: Group;
  readonly #byAddress = new Map<string, Group>();

  /** `onClosed` is called with each connection that is closed because of a limit. */
  constructor(limits: ConnectionLimits, onClosed: (address: string) => void = () => undefined) {
    this.#maxPerAddress = limits.maxConnectionsPerAddress;
    this.#onClosed = onClosed;
    this.#all = new Group(limits.maxConnections);
  }

  /** Counts an accepted connection until it is closed; at the limit closes it and returns undefined. */
  accept(socket: Socket): CountedConnection | undefined {
    const address = networkOf(socket.remoteAddress ?? '');
    const ofAddress = this.#byAddress.get(address) ?? new Group(this.#maxPerAddress);
    const groups = [ofAddress, this.#all];
    if (!groups.every((group) => this.#makeRoom(group))) {
      this.#close(socket, address);
      return undefined;
    }
    this.#byAddress.set(address, ofAddress);
    const connection = new CountedConnection(socket, groups);
    socket.once('close', () => {
      connection.leave();
      if (ofAddress.count === 0) this.#byAddress.delete(address);
    });
    return connection;
  }

  /** Returns false if users own all connections. */
  #makeRoom(group: Group): boolean {
    if (!group.isFull) return true;
    const [oldest] = group.unauthenticated;
    if (oldest === undefined) return false;
    oldest.leave();
    this.#close(oldest.socket, networkOf(oldest.socket.remoteAddress ?? ''));
    return true;
  }

  #close(socket: Socket, address: string): void {
    this.#onClosed(address);
    socket.destroy();
  }
}

/** The address that counts: an IPv4 address, or the /64 network of an IPv6 subscriber. */
function networkOf(address: string): string {
  const mapped = address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address;
  if (!mapped.includes(':')) return mapped;
  const [before = '', after] = (mapped.split('%', 1)[0] as string).split('::');
  const groups = before === '' ? [] : before.split(':');
  if (after !== undefined) {
    const rest = after === '' ? [] : after.split(':');
    while (groups.length + rest.length < 8) groups.push('0');
    groups.push(...rest);
  }
  return groups.slice(0, 4).join(':');
}
