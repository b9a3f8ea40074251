import { Buffer } from 'node:buffer';
import { dialErrorText } from './dial-error.ts';
import { hostPort } from './endpoint.ts';
import type { Fields } from './field-lines.ts';
import type { BackendResponse, ResponseHandler } from '../http1/exchange.ts';
import { encodeRequestHead } from '../http1/request-writer.ts';
import { sendOverHttp2 } from './http2-exchange.ts';
import type { Outgoing } from './outgoing.ts';

/**
 * A backend that was unreachable, or that disconnected before the response head. The message is
 * kube-apiserver's.
 */
export class DialError extends Error {
  override readonly name = 'DialError';
  /** The request may have reached the backend: whether it was executed is unknown. */
  readonly brokenOff: boolean;

  constructor(message: string, options: ErrorOptions & { brokenOff?: boolean } = {}) {
    super(message, options);
    this.brokenOff = options.brokenOff ?? false;
  }
}

// Methods that can be retried safely if the outcome is unknown: those of Go's transport.
const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE']);

/** Sends a request and resolves when the response head is received. Throws {@link DialError}. */
export const exchange = (outgoing: Outgoing): Promise<BackendResponse> =>
  new Promise((resolve, reject) => attempt(outgoing, resolve, reject));

function attempt(
  outgoing: Outgoing,
  responded: (response: BackendResponse) => void,
  reject: (error: DialError) => void,
): void {
  const { transport, upgrade } = outgoing;
  // Only HTTP/1.1 supports upgrades.
  const overHttp2 = transport.requiresHttp2 && !upgrade;
  const failed = (error: Error) => {
    // Backends that support both receive HTTP/1.1, which costs less here.
    const requiresHttp2 = !overHttp2 && !upgrade && refusesHttp1(error);
    if (requiresHttp2) transport.requiresHttp2 = true;
    if (maySendAgain(outgoing) && (requiresHttp2 || isStale(error))) attempt(outgoing, responded, reject);
    else reject(new DialError(textOf(error, outgoing), { cause: error, brokenOff: isReset(error) }));
  };
  try {
    if (overHttp2) sendOverHttp2(outgoing).then(responded, failed);
    else sendOverHttp1(outgoing, { responded, failed });
  } catch (error) {
    failed(error as Error);
  }
}

const maySendAgain = (outgoing: Outgoing): boolean =>
  outgoing.body === undefined && safeMethods.has(outgoing.method) && !isOver(outgoing);

/** True if the handshake failed because the backend only supports HTTP/2. */
const refusesHttp1 = ({ message }: Error): boolean => /alert no application protocol/.test(message);

/**
 * The backend closed an idle connection just as it was taken from the pool: retry on other idle connections,
 * then on a new one.
 */
const isStale = (error: Error): boolean => (error as { reused?: boolean }).reused === true && isReset(error);

const resets: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'ERR_UNEXPECTED_EOF']);

/** True if an established connection ended. */
const isReset = (error: unknown): boolean => {
  const { code, syscall } = error as NodeJS.ErrnoException;
  return resets.has(code ?? '') && syscall !== 'connect';
};

const isOver = ({ signal, clientResponse }: Outgoing): boolean =>
  signal?.aborted === true || clientResponse?.destroyed === true;

function textOf(error: unknown, { endpoint, transport, signal }: Outgoing): string {
  if (signal?.aborted) {
    const isLate = (signal.reason as Error | undefined)?.name === 'TimeoutError';
    return isLate ? 'context deadline exceeded' : 'context canceled';
  }
  return dialErrorText(error, endpoint, transport.serverName);
}

function sendOverHttp1(outgoing: Outgoing, handler: ResponseHandler): void {
  const { transport, endpoint, method, body, chunked = false, onInformation } = outgoing;
  const { signal, upgrade, clientResponse } = outgoing;
  const head = encodeRequestHead(outgoing, hostPort(endpoint));
  // The pool does not manage upgraded connections.
  const connection = upgrade ? transport.pool.open(endpoint) : transport.pool.take(endpoint);
  const exchanged = connection.send({ method, head, body, chunked, handler, onInformation });
  clientResponse?.on('close', () => exchanged.cancel());
  signal?.addEventListener('abort', () => exchanged.cancel(signal.reason as Error), { once: true });
  if (isOver(outgoing)) exchanged.cancel(signal?.reason as Error | undefined);
}

/** A complete response. */
export interface Fetched {
  status: number;
  headers: Fields;
  body: Buffer;
}

/**
 * Sends a request without a body and resolves to the status of the response, whatever happens to its body.
 * Throws {@link DialError}.
 */
export async function fetchStatus(
  outgoing: Omit<Outgoing, 'signal' | 'body' | 'clientResponse'>,
  limits: { timeoutMs: number },
): Promise<number> {
  const signal = AbortSignal.timeout(limits.timeoutMs);
  try {
    const { body, statusCode } = await exchange({ ...outgoing, signal });
    // The connection can be reused after the body is read to its end.
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

/** Sends a request without a body and reads the whole response, up to a limit. Throws {@link DialError}. */
export async function fetchWhole(
  outgoing: Omit<Outgoing, 'signal' | 'body' | 'clientResponse'>,
  limits: { timeoutMs: number; maxBytes: number },
): Promise<Fetched> {
  const signal = AbortSignal.timeout(limits.timeoutMs);
  const { body, headers, statusCode } = await exchange({ ...outgoing, signal });
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of body.stream() as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > limits.maxBytes) throw new DialError(`response is larger than ${limits.maxBytes} bytes`);
      chunks.push(chunk);
    }
  } catch (error) {
    body.discard();
    if (error instanceof DialError) throw error;
    throw new DialError(signal.aborted ? 'context deadline exceeded' : 'unexpected EOF', { cause: error });
  }
  return { status: statusCode, headers: headers.toObject(), body: Buffer.concat(chunks, length) };
}
