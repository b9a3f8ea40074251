import { Buffer } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { isRequestUrl } from '@annex/machinery';
import type { RequestContext } from '@annex/kinds';
import { type WebSocket, WebSocketServer } from 'ws';
import { sendText } from './respond.ts';
import { fewUnsentBytes, type WatchOutput } from './watch-stream.ts';

/** Bytes of a message of a watching client, which has nothing to send: kube-apiserver reads and drops up to 32 MiB. */
export const maxWatchMessageBytes = 64 * 1024;
/** Milliseconds for the client of an ended watch to close its side. */
export const webSocketCloseTimeoutMs = 1000;

const server = new WebSocketServer({
  noServer: true,
  maxPayload: maxWatchMessageBytes,
  perMessageDeflate: false,
  // The only offered subprotocol is accepted, whatever it is, as by kube-apiserver.
  handleProtocols: ([only]) => only ?? false,
});

interface Refusal {
  status: number;
  text: string;
  headers?: Record<string, string>;
}

/** Returns why kube-apiserver refuses to open a WebSocket; `undefined` if it does not. `Origin` is required, as browsers send it. */
function refusal({ headers }: RequestContext['req']): Refusal | undefined {
  if (headers['sec-websocket-key'] === undefined) return { status: 400, text: 'mismatch challenge/response' };
  if (headers['sec-websocket-version'] !== '13')
    return {
      status: 400,
      text: 'missing or bad WebSocket Version',
      headers: { 'Sec-WebSocket-Version': '13' },
    };
  if (!isRequestUrl(headers.origin ?? '')) return { status: 403, text: '' };
  const offered = headers['sec-websocket-protocol'];
  return offered !== undefined && offered.includes(',') ? { status: 400, text: '' } : undefined;
}

/** Opens the WebSocket of a request; returns `undefined` if the request was refused. */
export async function openWebSocket(request: RequestContext): Promise<WebSocket | undefined> {
  // Only HTTP/1.1 has upgrades.
  const req = request.req as IncomingMessage;
  const res = request.res as ServerResponse;
  const refused = refusal(req);
  if (refused !== undefined) {
    sendText(request, refused.status, refused.text, refused.headers);
    return undefined;
  }
  const socket = req.socket as Socket;
  res.statusCode = 101;
  res.detachSocket(socket);
  socket.setTimeout(0);
  return await new Promise((resolve) => {
    // Without an event if the handshake fails: the socket is closed then.
    socket.once('close', () => resolve(undefined));
    server.handleUpgrade(req, socket, noBytes, resolve);
  });
}

const noBytes = Buffer.alloc(0);

/** A watch over WebSocket: each event is a message, of text for JSON. A client that reads too slowly is disconnected. */
export class WebSocketStream implements WatchOutput {
  readonly #socket: WebSocket;
  readonly #maxBufferedBytes: number;
  readonly #isText: boolean;
  readonly closed: Promise<void>;
  #sent = (): void => {};

  constructor(
    socket: WebSocket,
    { maxBufferedBytes, isText }: { maxBufferedBytes: number; isText: boolean },
  ) {
    this.#socket = socket;
    this.#maxBufferedBytes = maxBufferedBytes;
    this.#isText = isText;
    // Invalid frames close the connection with a status of RFC 6455.
    socket.on('error', () => {});
    this.closed = new Promise((resolve) => {
      if (socket.readyState === socket.CLOSED) resolve();
      else socket.once('close', () => resolve());
    });
  }

  write(event: Buffer): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    // Without the length that separates the frames of protobuf in other responses.
    const message = this.#isText ? event : event.subarray(4);
    this.#socket.send(message, { binary: !this.#isText }, this.#onSent);
    if (this.#socket.bufferedAmount > this.#maxBufferedBytes) this.#socket.terminate();
  }

  writeAll(events: readonly Buffer[]): void {
    for (const event of events) this.write(event);
  }

  drained(): Promise<void> | undefined {
    const { bufferedAmount, OPEN, readyState } = this.#socket;
    if (readyState !== OPEN || bufferedAmount < fewUnsentBytes) return undefined;
    const sent = new Promise<void>((resolve) => (this.#sent = resolve));
    return Promise.race([sent, this.closed]);
  }

  /** Runs when a message was sent. */
  readonly #onSent = (): void => {
    if (this.#socket.bufferedAmount < fewUnsentBytes) this.#sent();
  };

  readonly end = (): void => {
    const socket = this.#socket;
    if (socket.readyState !== socket.OPEN) return;
    socket.close(1000);
    const timer = setTimeout(() => socket.terminate(), webSocketCloseTimeoutMs);
    socket.once('close', () => clearTimeout(timer));
  };
}
