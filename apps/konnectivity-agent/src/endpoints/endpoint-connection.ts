import type { Socket } from 'node:net';
import {
  corkForTurn,
  maxQueuedBytes,
  type PacketOf,
  type PacketStream,
  type Queue,
  ReceiveWindow,
  SendWindow,
  type StreamHold,
} from '@annex/tunnel';
import { endpointFlushTimeoutMs } from '../limits.ts';

/** The stream to a server, as its connections use it. */
export interface ServerStream {
  readonly packets: PacketStream;
  readonly hold: StreamHold;
  /** What the server supports. */
  readonly extensions: ReadonlySet<string>;
  forget(connection: EndpointConnection): void;
}

/** One connection to a destination. */
export class EndpointConnection {
  readonly id: number;
  readonly #server: ServerStream;
  readonly #socket: Socket;
  readonly #sendWindow: SendWindow | undefined;
  readonly #receiveWindow: ReceiveWindow | undefined;
  readonly #halfClose: boolean;
  readonly #queue: Queue;
  #error = '';
  #isOver = false;

  constructor(server: ServerStream, id: number, socket: Socket) {
    this.#server = server;
    this.id = id;
    this.#socket = socket;
    this.#halfClose = server.extensions.has('half-close');
    this.#queue = queueOf(socket);
    if (server.extensions.has('window')) {
      this.#sendWindow = new SendWindow();
      this.#receiveWindow = new ReceiveWindow((bytes) =>
        server.packets.send({ type: 'WINDOW', connectId: id, bytes }),
      );
    }
    socket.on('data', this.#send);
    socket.on('error', (error) => (this.#error ||= error.message));
    socket.once('end', () => this.#ended());
    socket.once('close', () => this.over());
  }

  /** Takes a packet of the server. Throws PacketError for one that breaks the rules of the window. */
  received(packet: PacketOf<'DATA' | 'HALF_CLOSE' | 'WINDOW' | 'CLOSE_REQ'>): void {
    if (packet.type === 'DATA') this.#data(packet.data);
    else if (packet.type === 'HALF_CLOSE') this.#socket.end();
    else if (packet.type === 'WINDOW') this.#sendWindow?.granted(packet.bytes);
    else this.close();
  }

  /** Ends the connection after the bytes that wait for the destination. */
  close(): void {
    const socket = this.#socket;
    if (socket.writableLength === 0) socket.destroy();
    else {
      const timer = setTimeout(() => socket.destroy(), endpointFlushTimeoutMs).unref();
      socket.once('close', () => clearTimeout(timer));
      socket.end().destroySoon();
    }
    this.over();
  }

  /** The connection is over; the server is told once. */
  over(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#socket.off('data', this.#send);
    this.#server.hold.release(this.#queue);
    // Upstream servers pass no error on.
    const error = this.#halfClose ? this.#error : '';
    this.#server.packets.send({ type: 'CLOSE_RSP', error, connectId: this.id });
    this.#server.forget(this);
  }

  readonly #send = (data: Buffer): void => {
    if (this.#isOver) return;
    this.#server.packets.send({ type: 'DATA', connectId: this.id, error: '', data });
    this.#sendWindow?.sent(data.length);
    this.#wait();
  };

  /** Reads no more until the window and the stream have room. */
  #wait(): void {
    const { packets } = this.#server;
    if (this.#sendWindow?.isOpen === false) {
      this.#socket.pause();
      this.#sendWindow.whenOpen(() => this.#wait());
    } else if (packets.mustWait && !packets.isClosed) {
      this.#socket.pause();
      packets.whenDrained(() => this.#wait());
    } else this.#socket.resume();
  }

  /**
   * The destination sends no more. A server without half-close can only be told of the end of both directions; one packet is enough
   * if both have ended.
   */
  #ended(): void {
    if (!this.#halfClose || this.#socket.writableFinished) return this.close();
    if (!this.#isOver) this.#server.packets.send({ type: 'HALF_CLOSE', connectId: this.id });
  }

  #data(data: Uint8Array): void {
    this.#receiveWindow?.received(data.length);
    const { length } = data;
    corkForTurn(this.#socket);
    this.#socket.write(data, () => this.#delivered(length));
    if (this.#receiveWindow !== undefined || this.#queue.unsentBytes <= maxQueuedBytes) return;
    this.#server.hold.hold(this.#queue, () =>
      this.#socket.destroy(new Error('the destination does not read')),
    );
  }

  #delivered(bytes: number): void {
    if (!this.#isOver) this.#receiveWindow?.consumed(bytes);
  }
}

const queueOf = (socket: Socket): Queue => ({
  get unsentBytes() {
    return socket.writableLength;
  },
  whenDrained: (callback) => void socket.once('drain', callback),
});
