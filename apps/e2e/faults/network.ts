import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { Transform } from 'node:stream';

/** The connections between a replica and etcd. */
export class Network {
  readonly #sockets = new Set<Socket>();
  #isCut = false;
  #delayMs = 0;

  /** Returns the port of a TCP proxy of a port on this machine. */
  async proxy(port: number, opened: AsyncDisposableStack): Promise<number> {
    const server = createServer((client) => {
      const target = connect(port, '127.0.0.1');
      for (const [from, to] of [
        [client, target],
        [target, client],
      ] as const) {
        this.#sockets.add(from);
        from.setNoDelay(true);
        from.once('close', () => this.#sockets.delete(from));
        from.on('error', () => to.destroy());
        from.pipe(this.#link()).pipe(to);
      }
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    opened.defer(() => {
      for (const socket of this.#sockets) socket.destroy();
      server.close();
    });
    return (server.address() as AddressInfo).port;
  }

  /** Loses what is sent until `heal`, without a word to either side. Connections end then, as after a partition. */
  cut(): void {
    this.#isCut = true;
  }

  /** Delays everything by this time. */
  delay(ms: number): void {
    this.#delayMs = ms;
  }

  heal(): void {
    this.#delayMs = 0;
    if (!this.#isCut) return;
    this.#isCut = false;
    for (const socket of this.#sockets) socket.destroy();
  }

  #link(): Transform {
    return new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        if (this.#isCut) return done();
        if (this.#delayMs === 0) return done(null, chunk);
        setTimeout(() => done(null, this.#isCut ? undefined : chunk), this.#delayMs);
      },
    });
  }
}
