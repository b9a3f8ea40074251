import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { Transform } from 'node:stream';

/** A connection that goes through a {@link Network}. */
export interface Link {
  /** The port that it leads to. */
  readonly to: number;
  /** The member of etcd that opened it, from the header `X-Server-From`; `undefined` for other clients. */
  readonly from: string | undefined;
}

/** Selects connections. */
export type Links = (link: Link) => boolean;

const everyLink: Links = () => true;
const senderHeader = /^X-Server-From: ([0-9a-f]+)\r$/im;

/** Connections between processes, which can be cut or delayed. */
export class Network {
  readonly #links = new Map<Socket, Link>();
  #cut: Links | undefined;
  #delay: { links: Links; ms: number } | undefined;

  /** Returns the port of a TCP proxy of a port on this machine. */
  async proxy(port: number, opened: AsyncDisposableStack): Promise<number> {
    const server = createServer((client) => {
      const target = connect(port, '127.0.0.1');
      const link: Link & { from: string | undefined } = { to: port, from: undefined };
      client.once('data', (head: Buffer) => (link.from = senderHeader.exec(head.toString('latin1'))?.[1]));
      for (const [from, to] of [
        [client, target],
        [target, client],
      ] as const) {
        this.#links.set(from, link);
        from.setNoDelay(true);
        from.once('close', () => this.#links.delete(from));
        from.on('error', () => to.destroy());
        from.pipe(this.#pass(link)).pipe(to);
      }
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    opened.defer(() => {
      for (const socket of this.#links.keys()) socket.destroy();
      server.close();
    });
    return (server.address() as AddressInfo).port;
  }

  /** Loses what is sent until `heal`, without a word to either side. Connections end then, as after a partition. */
  cut(links = everyLink): void {
    this.#cut = links;
  }

  /** Delays everything by this time. */
  delay(ms: number, links = everyLink): void {
    this.#delay = { links, ms };
  }

  heal(): void {
    this.#delay = undefined;
    const wasCut = this.#cut;
    this.#cut = undefined;
    if (wasCut === undefined) return;
    for (const [socket, link] of this.#links) if (wasCut(link)) socket.destroy();
  }

  #pass(link: Link): Transform {
    const isCut = () => this.#cut?.(link) === true;
    return new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        if (isCut()) return done();
        if (this.#delay?.links(link) !== true) return done(null, chunk);
        setTimeout(() => done(null, isCut() ? undefined : chunk), this.#delay.ms);
      },
    });
  }
}
