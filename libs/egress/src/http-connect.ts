import { once } from 'node:events';
import type { Socket } from 'node:net';
import { maxConnectHeadBytes, maxConnectReasonBytes } from './limits.ts';

/** A proxy server that does not open a connection. The message is kube-apiserver's, with the reason that the proxy server gives. */
export class ConnectError extends Error {
  override readonly name = 'ConnectError';
}

/**
 * Requests a connection to `host:port` from an HTTP proxy. Resolves to the same socket: bytes of the destination that arrived
 * with the response follow. Destroys the socket and rejects with {@link ConnectError} if the proxy refuses.
 */
export async function requestConnection(proxy: Socket, server: string, address: string): Promise<Socket> {
  let failure: Error | undefined;
  const failed = (error: Error): void => void (failure = error);
  proxy.on('error', failed);
  try {
    proxy.write(`CONNECT ${address} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
    const status = statusOf(await readHead(proxy));
    if (status.startsWith('200')) return proxy.off('error', failed);
    const code = status.slice(0, 3);
    const reason = await readReason(proxy);
    throw new ConnectError(
      `proxy error from ${server} while dialing ${address}, code ${code}: ${status}${reason && `: ${reason}`}`,
    );
  } catch (error) {
    proxy.on('error', () => undefined).destroy();
    if (error instanceof ConnectError) throw error;
    const { message } = failure ?? (error as Error);
    throw new ConnectError(
      `reading HTTP response from CONNECT to ${address} via proxy ${server} failed: ${message}`,
      { cause: error },
    );
  }
}

/** Reads to the empty line. What follows stays in the socket. */
async function readHead(socket: Socket): Promise<string> {
  let head = Buffer.alloc(0);
  for (;;) {
    const chunk = (await readSome(socket)) ?? fail('unexpected EOF');
    const searched = Math.max(0, head.length - 3);
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf('\r\n\r\n', searched);
    if (end >= 0) {
      if (head.length > end + 4) socket.unshift(head.subarray(end + 4));
      return head.toString('latin1', 0, end);
    }
    if (head.length > maxConnectHeadBytes) fail('the response head is too large');
  }
}

/** Resolves to the next bytes of a paused socket; undefined at its end. */
async function readSome(socket: Socket): Promise<Buffer | undefined> {
  for (;;) {
    const chunk = socket.read() as Buffer | null;
    if (chunk !== null) return chunk;
    if (socket.readableEnded || socket.destroyed) return undefined;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting = new AbortController();
    for (const event of ['readable', 'end', 'close'])
      once(socket, event, { signal: waiting.signal }).then(() => resolve(), reject);
    await promise.finally(() => waiting.abort());
  }
}

/** The code and the text of the status line. */
function statusOf(head: string): string {
  const line = head.split('\r\n', 1)[0] ?? '';
  return (
    /^HTTP\/1\.[01] (\d{3}(?: .*)?)$/.exec(line)?.[1] ??
    fail(`malformed HTTP response ${JSON.stringify(line)}`)
  );
}

/** The beginning of the body, without line breaks. It is part of an error: nothing is awaited for it. */
async function readReason(socket: Socket): Promise<string> {
  const bytes = (socket.read(socket.readableLength) as Buffer | null) ?? Buffer.alloc(0);
  return bytes.toString('utf8', 0, maxConnectReasonBytes).replace(/\s+/g, ' ').trim();
}

function fail(why: string): never {
  throw new Error(why);
}
