import { Buffer } from 'node:buffer';
import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { type RequestOptions, request } from 'node:https';
import { type Readable, pipeline } from 'node:stream';
import type { Duplex } from 'node:stream';
import { dialErrorText } from './dial-error.ts';
import { type Endpoint, hostPort } from './endpoint.ts';
import type { Transport } from './transport.ts';

/** A backend that could not be reached, or that broke off before its answer began. The message is kube's text. */
export class DialError extends Error {
  override readonly name = 'DialError';
}

/** A request to a backend, ready to be sent. */
export interface Outgoing {
  transport: Transport;
  endpoint: Endpoint;
  method: string;
  /** Encoded path and query. */
  path: string;
  headers: OutgoingHttpHeaders;
  body?: Readable;
  /** Asks for another protocol: on a connection of its own. */
  upgrade?: boolean;
  /** Ends the request when it aborts. */
  signal?: AbortSignal;
  /**
   * Whoever waits for the answer: when it closes, the request ends. Beside `signal`, because an abort makes an error
   * with a stack for each request, and this is one listener.
   */
  waiting?: ServerResponse;
}

/** What a backend answered: a message, or a connection that speaks another protocol from now on. */
export interface Answer {
  message: IncomingMessage;
  upgraded?: { socket: Duplex; head: Buffer };
}

// A head larger than this is no answer of an API server.
const maxHeaderSize = 64 * 1024;

/** Sends a request and resolves when the head of the answer is there. Throws {@link DialError}. */
export async function exchange(outgoing: Outgoing): Promise<Answer> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await send(outgoing);
    } catch (error) {
      // The backend closed an idle connection just as it was taken from the pool: nothing was done there yet.
      const stale = (error as { reused?: boolean }).reused === true && outgoing.body === undefined;
      if (stale && attempt < 2 && !isOver(outgoing)) continue;
      throw new DialError(textOf(error, outgoing), { cause: error });
    }
  }
}

const isOver = ({ signal, waiting }: Outgoing): boolean => signal?.aborted === true || isClosed(waiting);

// HTTP/2 answers know it by their stream only.
const isClosed = (waiting: (ServerResponse & { stream?: { destroyed: boolean } }) | undefined): boolean =>
  waiting?.destroyed === true || waiting?.stream?.destroyed === true;

function textOf(error: unknown, { endpoint, transport, signal }: Outgoing): string {
  if (signal?.aborted && (signal.reason as Error | undefined)?.name === 'TimeoutError') {
    return 'context deadline exceeded';
  }
  return dialErrorText(error, endpoint, transport.serverName);
}

function send(outgoing: Outgoing): Promise<Answer> {
  const { transport, endpoint, method, path, headers, body, upgrade, signal, waiting } = outgoing;
  return new Promise((resolve, reject) => {
    const options: RequestOptions = {
      host: endpoint.host,
      port: endpoint.port,
      method,
      path,
      headers: { ...headers, host: hostPort(endpoint) },
      maxHeaderSize,
      ...(signal ? { signal } : {}),
      ...(upgrade ? { agent: false, ...transport.tls } : { agent: transport.agent }),
    };
    const sent = request(options);
    waiting?.once('close', () => {
      // A complete answer gave its connection back to the pool already.
      if (!answered?.complete) sent.destroy();
    });
    if (isClosed(waiting)) sent.destroy();
    let answered: IncomingMessage | undefined;
    sent.once('response', (message) => resolve({ message: (answered = message) }));
    sent.once('upgrade', (message, socket, head) => resolve({ message, upgraded: { socket, head } }));
    sent.on('error', (error: NodeJS.ErrnoException) => {
      const reused = sent.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
      reject(reused ? Object.assign(error, { reused }) : error);
    });
    // Connections are kept without a word, as HTTP/1.1 has it: Go's proxy sends no such header either.
    if (!upgrade) sent.removeHeader('connection');
    if (body === undefined) sent.end();
    // An error of the body ends the request, which reports it.
    else pipeline(body, sent, () => undefined);
  });
}

/** A whole answer. */
export interface Fetched {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** Sends a request without a body and reads the whole answer, up to a limit. Throws {@link DialError}. */
export async function fetchWhole(
  outgoing: Omit<Outgoing, 'signal' | 'body' | 'waiting'>,
  limits: { timeoutMs: number; maxBytes: number },
): Promise<Fetched> {
  const signal = AbortSignal.timeout(limits.timeoutMs);
  const { message } = await exchange({ ...outgoing, signal });
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of message as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > limits.maxBytes) throw new DialError(`answer is larger than ${limits.maxBytes} bytes`);
      chunks.push(chunk);
    }
  } catch (error) {
    message.destroy();
    if (error instanceof DialError) throw error;
    throw new DialError(signal.aborted ? 'context deadline exceeded' : 'unexpected EOF', { cause: error });
  }
  return { status: message.statusCode ?? 0, headers: message.headers, body: Buffer.concat(chunks, length) };
}
