import { Buffer } from 'node:buffer';
import type { TLSSocket } from 'node:tls';
import type { ClientConfig } from '@annex/client';
import { openSocket } from './client-socket.ts';

/** A request that is encoded already. */
export interface EncodedRequest {
  method: string;
  path: string;
  body?: string;
}

/**
 * Connections that each send one request repeatedly and wait for the response. They use much less CPU time than Node's client, so that the
 * result depends on the server.
 */
export class Callers implements Disposable {
  readonly #sockets: readonly TLSSocket[];
  readonly #host: string;

  private constructor(sockets: readonly TLSSocket[], host: string) {
    this.#sockets = sockets;
    this.#host = host;
  }

  /** Opens the connections, with the client certificate of the configuration. */
  static async open(config: ClientConfig, count: number): Promise<Callers> {
    const sockets = await Promise.all(Array.from({ length: count }, () => openSocket(config)));
    for (const socket of sockets) socket.setNoDelay();
    return new Callers(sockets, new URL(config.server).host);
  }

  /** Sends the request on all connections until the time is over; resolves to the number of responses. */
  async send(request: EncodedRequest, seconds: number): Promise<number> {
    const bytes = encode(request, this.#host);
    const end = performance.now() + seconds * 1000;
    const counts = await Promise.all(this.#sockets.map((socket) => repeat(socket, bytes, end)));
    return counts.reduce((sum, count) => sum + count, 0);
  }

  [Symbol.dispose](): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}

function encode({ method, path, body = '' }: EncodedRequest, host: string): Buffer {
  const head = [`${method} ${path} HTTP/1.1`, `Host: ${host}`, 'Accept: application/json'];
  if (body !== '') head.push('Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`);
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`);
}

/** Sends requests one after the other on one connection; resolves to the number of responses. */
function repeat(socket: TLSSocket, bytes: Buffer, end: number): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  let count = 0;
  let received = 0;
  let awaited = 0;
  const onData = (chunk: Buffer): void => {
    if (received === 0) awaited = responseLength(chunk) ?? Number.NaN;
    if (Number.isNaN(awaited)) return finish(() => reject(new Error(`answered ${chunk.toString()}`)));
    received += chunk.length;
    if (received < awaited) return;
    count++;
    received = 0;
    if (performance.now() < end) socket.write(bytes);
    else finish(() => resolve(count));
  };
  const onError = (error: Error): void => finish(() => reject(error));
  const onClose = (): void => finish(() => reject(new Error('the server closed a connection')));
  const finish = (settle: () => void): void => {
    socket.off('data', onData).off('error', onError).off('close', onClose);
    settle();
  };
  socket.on('data', onData).on('error', onError).on('close', onClose);
  if (socket.destroyed) onClose();
  socket.write(bytes);
  return promise;
}

/** Returns the length of the response that begins here; its head is in one chunk. `undefined` if the response is not successful. */
function responseLength(chunk: Buffer): number | undefined {
  const headLength = chunk.indexOf('\r\n\r\n') + 4;
  const head = chunk.toString('latin1', 0, headLength);
  const length = /^content-length: *(\d+)/im.exec(head)?.[1];
  return length !== undefined && head.startsWith('HTTP/1.1 2') ? headLength + Number(length) : undefined;
}
