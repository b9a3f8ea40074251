import type { ClientConfig } from './config.ts';
import type { ClientMessage, Connections, Outgoing, RetirableConnections } from './connections.ts';

/** Connections by the current content of a configuration. After a change, requests that are open end on the previous connections. */
export class FollowedConnections implements Connections {
  readonly #current: () => ClientConfig;
  readonly #create: (config: ClientConfig) => RetirableConnections;
  readonly #retired = new Set<RetirableConnections>();
  #config: ClientConfig;
  #connections: RetirableConnections;

  constructor(current: () => ClientConfig, create: (config: ClientConfig) => RetirableConnections) {
    this.#current = current;
    this.#create = create;
    this.#config = current();
    this.#connections = create(this.#config);
  }

  open(outgoing: Outgoing): Promise<ClientMessage> {
    const now = this.#current();
    if (now !== this.#config) this.#replace(now);
    return this.#connections.open(outgoing);
  }

  close(): void {
    for (const connections of [this.#connections, ...this.#retired]) connections.close();
  }

  #replace(config: ClientConfig): void {
    const previous = this.#connections;
    this.#connections = this.#create(config);
    this.#config = config;
    previous.retire();
    this.#retired.add(previous);
    for (const retired of this.#retired) if (retired.isUnused()) this.#retired.delete(retired);
  }
}
