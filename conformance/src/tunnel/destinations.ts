import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import { eventually } from './links.ts';

/** A connection of an agent to a destination: the player is the destination. */
export class Endpoint {
  readonly #socket: Socket;
  #arrived = 0;
  #expected = 0;
  #isEnded = false;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('error', () => (this.#isEnded = true));
    socket.on('end', () => (this.#isEnded = true));
    socket.on('data', (chunk: Buffer) => (this.#arrived += chunk.length));
  }

  write(bytes: Uint8Array): void {
    this.#socket.write(bytes);
  }

  end(): void {
    this.#socket.end();
  }

  /** Throws if so many further bytes do not arrive. */
  async expect(bytes: number): Promise<void> {
    this.#expected += bytes;
    await eventually(`${this.#expected} bytes at the destination`, () =>
      this.#arrived >= this.#expected ? true : undefined,
    );
  }

  /** Throws if the agent does not end the connection. */
  async expectEnd(): Promise<void> {
    await eventually('the end of the connection to the destination', () => this.#isEnded || undefined);
  }
}

/** The destinations of a recording, on free ports. */
export class Destinations implements Disposable {
  readonly #servers: Server[] = [];
  readonly #accepted = new Map<string, Socket[]>();
  readonly #addresses = new Map<string, string>();
  readonly #threads: Worker[] = [];
  #silent: string | undefined;

  /** Starts a destination, unless it runs; returns its address. */
  async open(recorded: string): Promise<string> {
    const known = this.#addresses.get(recorded);
    if (known !== undefined) return known;
    const sockets: Socket[] = [];
    const server = createServer(
      { allowHalfOpen: true, noDelay: true },
      (socket) => void sockets.push(socket),
    );
    const host = recorded.slice(0, recorded.lastIndexOf(':'));
    await once(server.listen(0, host.replace(/^\[|\]$/g, '')), 'listening');
    const address = `${host}:${(server.address() as AddressInfo).port}`;
    this.#servers.push(server);
    this.#accepted.set(address, sockets);
    this.#addresses.set(recorded, address);
    return address;
  }

  /** Returns the address of a destination that leaves connections without a response. */
  async openSilent(): Promise<string> {
    this.#silent ??= await this.#startSilent();
    return this.#silent;
  }

  async #startSilent(): Promise<string> {
    const thread = new Worker(new URL('silent-thread.mjs', import.meta.url));
    this.#threads.push(thread);
    const [{ port }] = (await once(thread, 'message')) as [AddressInfo];
    const address = `127.0.0.1:${port}`;
    const queued = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')];
    this.#accepted.set(address, queued);
    await Promise.all(queued.map((socket) => once(socket, 'connect')));
    return address;
  }

  /** The next connection that a destination accepted. */
  async accept(address: string): Promise<Endpoint> {
    return new Endpoint(
      await eventually(`a connection to ${address}`, () => this.#accepted.get(address)?.shift()),
    );
  }

  [Symbol.dispose](): void {
    for (const server of this.#servers) server.close();
    for (const thread of this.#threads) void thread.terminate();
    for (const socket of [...this.#accepted.values()].flat()) socket.destroy();
  }
}
