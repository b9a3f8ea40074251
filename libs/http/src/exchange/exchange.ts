import { Buffer } from 'node:buffer';
import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { dialErrorText } from './dial-error.ts';
import { type Endpoint, hostPort } from './endpoint.ts';
import type { Fields } from './field-lines.ts';
import type { Answer, Asker, Information } from '../http1/exchange.ts';
import type { HeaderList } from '../header-list.ts';
import { encodeRequestHead } from '../http1/request-writer.ts';
import { sendOverHttp2 } from './http2-exchange.ts';
import type { Transport } from './transport.ts';

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
  headers: HeaderList;
  body?: Readable | undefined;
  /** The length of the body is not known: it is sent in chunks. */
  chunked?: boolean;
  /** Asks for another protocol: on a connection of its own. */
  upgrade?: boolean;
  /** Ends the request when it aborts. */
  signal?: AbortSignal | undefined;
  /**
   * Whoever waits for the answer: when it closes, the request ends. Beside `signal`, because an abort makes an error
   * with a stack for each request, and this is one listener.
   */
  waiting?: ServerResponse;
  /** Told of interim answers (1xx). */
  onInformation?: (information: Information) => void;
}

// What may be sent again by whoever does not know whether it was done: those of Go's transport.
const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE']);

/** Sends a request and resolves when the head of the answer is there. Throws {@link DialError}. */
export const exchange = (outgoing: Outgoing): Promise<Answer> =>
  new Promise((resolve, reject) => attempt(outgoing, resolve, reject));

function attempt(
  outgoing: Outgoing,
  answered: (answer: Answer) => void,
  reject: (error: DialError) => void,
): void {
  const { transport, upgrade } = outgoing;
  // An upgrade is a matter of HTTP/1.1.
  const overHttp2 = transport.speaksHttp2 && !upgrade;
  const failed = (error: Error) => {
    // Those that speak both are asked in HTTP/1.1, which costs less here.
    const wantsHttp2 = !overHttp2 && !upgrade && refusesHttp1(error);
    if (wantsHttp2) transport.speaksHttp2 = true;
    if (maySendAgain(outgoing) && (wantsHttp2 || isStale(error))) attempt(outgoing, answered, reject);
    else reject(new DialError(textOf(error, outgoing), { cause: error, brokenOff: isReset(error) }));
  };
  try {
    if (overHttp2) sendOverHttp2(outgoing).then(answered, failed);
    else sendOverHttp1(outgoing, { answered, failed });
  } catch (error) {
    failed(error as Error);
  }
}

const maySendAgain = (outgoing: Outgoing): boolean =>
  outgoing.body === undefined && safeMethods.has(outgoing.method) && !isOver(outgoing);

/** True where the handshake failed because the backend speaks HTTP/2 alone. */
const refusesHttp1 = ({ message }: Error): boolean => /alert no application protocol/.test(message);

/** The backend closed an idle connection just as it was taken from the pool: there may be more of them, and then a new one. */
const isStale = (error: Error): boolean => (error as { reused?: boolean }).reused === true && isReset(error);

const resets: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'ERR_UNEXPECTED_EOF']);

/** An end of a connection that had been made. */
const isReset = (error: unknown): boolean => {
  const { code, syscall } = error as NodeJS.ErrnoException;
  return resets.has(code ?? '') && syscall !== 'connect';
};

const isOver = ({ signal, waiting }: Outgoing): boolean => signal?.aborted === true || isClosed(waiting);

// HTTP/2 answers know it by their stream only.
const isClosed = (waiting: (ServerResponse & { stream?: { destroyed: boolean } }) | undefined): boolean =>
  waiting?.destroyed === true || waiting?.stream?.destroyed === true;

function textOf(error: unknown, { endpoint, transport, signal }: Outgoing): string {
  if (signal?.aborted) {
    const isLate = (signal.reason as Error | undefined)?.name === 'TimeoutError';
    return isLate ? 'context deadline exceeded' : 'context canceled';
  }
  return dialErrorText(error, endpoint, transport.serverName);
}

function sendOverHttp1(outgoing: Outgoing, asker: Asker): void {
  const { transport, endpoint, method, body, chunked = false, onInformation } = outgoing;
  const { signal, upgrade, waiting } = outgoing;
  const head = encodeRequestHead(outgoing, hostPort(endpoint));
  // What becomes of an upgraded connection is not for the pool to know.
  const connection = upgrade ? transport.pool.open(endpoint) : transport.pool.take(endpoint);
  const exchanged = connection.send({ method, head, body, chunked, asker, onInformation });
  waiting?.on('close', () => exchanged.cancel());
  signal?.addEventListener('abort', () => exchanged.cancel(signal.reason as Error), { once: true });
  if (isOver(outgoing)) exchanged.cancel(signal?.reason as Error | undefined);
}

/** A whole answer. */
export interface Fetched {
  status: number;
  headers: Fields;
  body: Buffer;
}

/** Sends a request without a body and resolves to the status of the answer, whatever becomes of the rest. Throws {@link DialError}. */
export async function fetchStatus(
  outgoing: Omit<Outgoing, 'signal' | 'body' | 'waiting'>,
  limits: { timeoutMs: number },
): Promise<number> {
  const signal = AbortSignal.timeout(limits.timeoutMs);
  try {
    const { body, statusCode } = await exchange({ ...outgoing, signal });
    // Read to its end, the connection can be used again.
    if (body.whole === undefined)
      body
        .stream()
        .on('error', () => undefined)
        .resume();
    return statusCode;
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
  const { body, headers, statusCode } = await exchange({ ...outgoing, signal });
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of body.stream() as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > limits.maxBytes) throw new DialError(`answer is larger than ${limits.maxBytes} bytes`);
      chunks.push(chunk);
    }
  } catch (error) {
    body.discard();
    if (error instanceof DialError) throw error;
    throw new DialError(signal.aborted ? 'context deadline exceeded' : 'unexpected EOF', { cause: error });
  }
  return { status: statusCode, headers: headers.toObject(), body: Buffer.concat(chunks, length) };
}
