import { Buffer } from 'node:buffer';
import type {
  IncomingHttpHeaders,
  IncomingMessage,
  InformationEvent,
  OutgoingHttpHeaders,
  ServerResponse,
} from 'node:http';
import { type RequestOptions, request } from 'node:https';
import { type Readable, pipeline } from 'node:stream';
import type { Duplex } from 'node:stream';
import { goQuote } from '@annex/machinery';
import { dialErrorText } from './dial-error.ts';
import { type Endpoint, hostPort } from './endpoint.ts';
import { sendOverHttp2 } from './http2-exchange.ts';
import { http1, type Transport } from './transport.ts';

/** A backend that could not be reached, or that broke off before its answer began. The message is kube's text. */
export class DialError extends Error {
  override readonly name = 'DialError';
  /** The request had reached the backend, or may have: what it did with it is not known. */
  readonly brokenOff: boolean;

  constructor(message: string, options: ErrorOptions & { brokenOff?: boolean } = {}) {
    super(message, options);
    this.brokenOff = options.brokenOff ?? false;
  }
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
  /** Told of interim answers (1xx). */
  onInformation?: (information: InformationEvent) => void;
}

/** What a backend answered: a message, or a connection that speaks another protocol from now on. */
export interface Answer {
  message: IncomingMessage;
  upgraded?: { socket: Duplex; head: Buffer };
}

// A head larger than this is no answer of an API server.
const maxHeaderSize = 64 * 1024;

// What may be sent again by whoever does not know whether it was done: those of Go's transport.
const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE']);

/** Sends a request and resolves when the head of the answer is there. Throws {@link DialError}. */
export async function exchange(outgoing: Outgoing): Promise<Answer> {
  const mayRepeat = outgoing.body === undefined && safeMethods.has(outgoing.method);
  for (let attempt = 0; ; attempt++) {
    try {
      return await (speaksHttp2(outgoing) ? sendOverHttp2 : send)(outgoing);
    } catch (error) {
      if (mayRepeat && refusesHttp1(outgoing, error)) continue;
      // The backend closed an idle connection just as it was taken from the pool.
      const stale = (error as { reused?: boolean }).reused === true;
      if (stale && mayRepeat && attempt < 2 && !isOver(outgoing)) continue;
      throw new DialError(textOf(error, outgoing), { cause: error, brokenOff: isReset(error) });
    }
  }
}

// An upgrade is a matter of HTTP/1.1.
const speaksHttp2 = ({ transport, upgrade }: Outgoing): boolean => transport.speaksHttp2 && !upgrade;

/**
 * True where the handshake failed because the backend speaks HTTP/2 alone: its next request is made in that. Those that
 * speak both are asked in HTTP/1.1, which costs less here.
 */
function refusesHttp1({ transport, upgrade }: Outgoing, error: unknown): boolean {
  if (!/alert no application protocol/.test((error as Error).message) || upgrade || transport.speaksHttp2)
    return false;
  return (transport.speaksHttp2 = true);
}

/** An end of a connection that had been made. */
const isReset = (error: unknown): boolean => {
  const { code, syscall } = error as NodeJS.ErrnoException;
  return (code === 'ECONNRESET' || code === 'EPIPE') && syscall !== 'connect';
};

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

/** What Node's parser lets pass and nobody can read alike: then an attacker chooses who reads what. */
function malformed({ statusCode = 0, headers }: IncomingMessage): string | undefined {
  if (statusCode < 100) return `malformed HTTP status code ${goQuote(String(statusCode).padStart(3, '0'))}`;
  const coding = headers['transfer-encoding'];
  if (coding === undefined || coding.toLowerCase() === 'chunked') return undefined;
  return `unsupported transfer encoding: ${goQuote(coding)}`;
}

function send(outgoing: Outgoing): Promise<Answer> {
  const { transport, endpoint, method, path, headers, body, upgrade, signal, waiting, onInformation } =
    outgoing;
  return new Promise((resolve, reject) => {
    const options: RequestOptions = {
      host: endpoint.host,
      port: endpoint.port,
      method,
      path,
      headers: { ...headers, host: hostPort(endpoint) },
      maxHeaderSize,
      ...(signal ? { signal } : {}),
      ...(upgrade ? { agent: false, ...transport.tls, ...http1 } : { agent: transport.agent }),
    };
    const sent = request(options);
    waiting?.once('close', () => {
      // A complete answer gave its connection back to the pool already.
      if (!answered?.complete) sent.destroy();
    });
    if (isClosed(waiting)) sent.destroy();
    let answered: IncomingMessage | undefined;
    sent.once('response', (message) => {
      answered = message;
      const why = malformed(message);
      if (why === undefined) return resolve({ message });
      message.destroy();
      reject(new Error(`net/http: HTTP/1.x transport connection broken: ${why}`));
    });
    sent.once('upgrade', (message, socket, head) => resolve({ message, upgraded: { socket, head } }));
    if (onInformation) sent.on('information', onInformation);
    sent.on('error', (error) => {
      const reused = sent.reusedSocket && isReset(error);
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

/** Sends a request without a body and resolves to the status of the answer, whatever becomes of the rest. Throws {@link DialError}. */
export async function fetchStatus(
  outgoing: Omit<Outgoing, 'signal' | 'body' | 'waiting'>,
  limits: { timeoutMs: number },
): Promise<number> {
  const signal = AbortSignal.timeout(limits.timeoutMs);
  try {
    const { message } = await exchange({ ...outgoing, signal });
    // Read to its end, the connection can be used again.
    message.on('error', () => undefined).resume();
    return message.statusCode ?? 0;
  } catch (error) {
    if (!signal.aborted || !(error instanceof DialError)) throw error;
    throw new DialError(`${error.message} (Client.Timeout exceeded while awaiting headers)`, {
      cause: error,
    });
  }
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
