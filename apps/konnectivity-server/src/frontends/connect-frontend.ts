import type { Socket } from 'node:net';
import { Dial, type DialSetting } from '../tunnel/dial.ts';
import type { Connection, DialFailure, Frontend } from '../tunnel/frontend.ts';

/** Bytes of a socket beyond which the destination has to wait. */
const waitBytes = 256 * 1024;

/** The name of the last dial. It names a dial on the stream of one agent, so it only has to be unique. */
let lastRandom = 0n;

/** One CONNECT request and its connection. */
export class ConnectFrontend {
  readonly #socket: Socket;
  /** Bytes of the client that came with its request. */
  readonly #head: Buffer;
  readonly #dial: Dial;
  #connection: Connection | undefined;
  #isCorked = false;

  constructor(socket: Socket, head: Buffer, address: string, dials: DialSetting) {
    this.#socket = socket;
    this.#head = head;
    socket.on('error', () => socket.destroy());
    this.#dial = new Dial(
      dials,
      { protocol: 'tcp', address, random: ++lastRandom },
      {
        connected: (connection) => this.#connected(connection),
        failed: (message, reason) => this.#failed(message, reason),
      },
    );
    socket.once('close', () => {
      this.#dial.cancel();
      this.#connection?.close();
    });
  }

  #connected(connection: Connection): Frontend {
    const socket = this.#socket;
    this.#connection = connection;
    socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
    // The frontend is in place before the first byte of the client is sent.
    process.nextTick(() => this.#pump(connection));
    return {
      data: (data) => this.#send(data),
      halfClosed: () => void socket.end(),
      closed: (error) => {
        if (socket.destroyed) return;
        if (error === '') socket.end().destroySoon();
        else socket.destroy();
      },
      get unsentBytes() {
        return socket.writableLength;
      },
      get mustWait() {
        return socket.writableLength >= waitBytes;
      },
      whenDrained: (callback) => whenDrained(socket, callback),
    };
  }

  /** What arrives in one turn of the event loop is one write. */
  #send(data: Uint8Array): void {
    const socket = this.#socket;
    if (!this.#isCorked) {
      this.#isCorked = true;
      socket.cork();
      setImmediate(() => {
        this.#isCorked = false;
        socket.uncork();
      });
    }
    socket.write(data);
  }

  #pump(connection: Connection): void {
    const socket = this.#socket;
    const send = (data: Buffer) => {
      connection.send(data);
      if (!connection.mustWait) return;
      socket.pause();
      connection.whenWritable(() => socket.resume());
    };
    if (this.#head.length > 0) send(this.#head);
    socket.on('data', send);
    socket.once('end', () => connection.halfClose());
    if (!connection.mustWait) socket.resume();
    if (socket.destroyed) connection.close();
  }

  #failed(message: string, reason: DialFailure): void {
    const [status, text] = refusal(message, reason);
    this.#socket
      .end(
        `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n${text}`,
      )
      .destroySoon();
  }
}

function whenDrained(socket: Socket, callback: () => void): void {
  if (socket.destroyed || !socket.writableNeedDrain) return callback();
  const done = () => {
    socket.off('drain', done).off('close', done);
    callback();
  };
  socket.on('drain', done).on('close', done);
}

/** The response that the API server gets. It shows users the status, so the status says most. */
function refusal(message: string, reason: DialFailure): [status: string, text: string] {
  if (reason === 'no_agent')
    return ['500 Internal Server Error', `currently no tunnels available: ${message}`];
  if (reason === 'backend_dial_timeout')
    return ['504 Gateway Timeout', `Backend dial timeout: ${message}\r\n`];
  if (reason === 'backend_close') return ['502 Bad Gateway', `Backend context error: ${message}\r\n`];
  if (/timeout|deadline exceeded/.test(message)) return ['504 Gateway Timeout', message];
  if (message.includes('too many open files')) return ['503 Service Unavailable', message];
  return ['502 Bad Gateway', message];
}
