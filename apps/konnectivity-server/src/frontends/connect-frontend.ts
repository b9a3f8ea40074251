import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { corkForTurn } from '@annex/tunnel';
import { Dial, type DialSetting } from '../tunnel/dial.ts';
import type { Connection, DialFailure, Frontend } from '../tunnel/frontend.ts';

/** Bytes of a socket beyond which the destination has to wait. */
const waitBytes = 256 * 1024;

/** The name of the last dial. It names a dial on the stream of one agent, so it only has to be unique. */
let lastRandom = 0n;

/** One CONNECT request and its connection. */
export class ConnectFrontend {
  readonly #socket: Socket;
  readonly #dial: Dial;
  /** Bytes of the client that came before its connection was open. */
  #early: Buffer[] = [];
  #connection: Connection | undefined;
  /** Bytes of the client are sent as they come. */
  #isOpen = false;
  /** The client sends no more. */
  #isEnded = false;

  constructor(socket: Socket, head: Buffer, address: string, dials: DialSetting) {
    this.#socket = socket;
    if (head.length > 0) this.#received(head);
    socket.on('error', () => socket.destroy());
    socket.on('data', (data: Buffer) => this.#received(data));
    socket.once('end', () => this.#ended());
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
    process.nextTick(() => this.#open(connection));
    return {
      data: (data) => {
        corkForTurn(socket);
        socket.write(data);
      },
      halfClosed: () => void socket.end(),
      closed: (error) => {
        if (socket.destroyed) return;
        if (error !== '' || this.#isDone) socket.destroy();
        else socket.end().destroySoon();
      },
      abort: () => void socket.destroy(),
      get unsentBytes() {
        return socket.writableLength;
      },
      get mustWait() {
        return socket.writableLength >= waitBytes;
      },
      whenDrained: (callback) => whenDrained(socket, callback),
    };
  }

  /** Both directions have ended, and nothing waits: closing the socket says so. TLS has an end of its own. */
  get #isDone(): boolean {
    return this.#isEnded && this.#socket.writableLength === 0 && !(this.#socket instanceof TLSSocket);
  }

  #received(data: Buffer): void {
    const connection = this.#connection;
    if (!this.#isOpen || connection === undefined) {
      this.#early.push(data);
      this.#socket.pause();
      return;
    }
    connection.send(data);
    if (!connection.mustWait) return;
    this.#socket.pause();
    connection.whenWritable(() => this.#socket.resume());
  }

  #ended(): void {
    this.#isEnded = true;
    if (this.#isOpen) this.#connection?.halfClose();
  }

  #open(connection: Connection): void {
    const socket = this.#socket;
    const early = this.#early;
    this.#early = [];
    this.#isOpen = true;
    for (const data of early) this.#received(data);
    if (this.#isEnded) connection.halfClose();
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
