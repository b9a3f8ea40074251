import { type ClientHttp2Session, connect } from 'node:http2';
import type { ClientConfig } from '@annex/client';

/** A request of a row. */
export interface TurnRequest {
  method: string;
  path: string;
  body?: string | Buffer;
  type?: string;
  accept?: string;
  /** The content encoding that the client accepts. */
  encoding?: string;
  /** The user that the client impersonates. */
  user?: string;
}

/** A client that reads responses without decoding them. */
export class PlainClient implements Disposable {
  readonly #config: ClientConfig;
  #session: ClientHttp2Session;

  constructor(config: ClientConfig) {
    this.#config = config;
    this.#session = this.#connect();
  }

  #connect(): ClientHttp2Session {
    const { server, ca, cert, key, tlsServerName: servername } = this.#config;
    const session = connect(server, {
      ...(ca !== undefined && { ca }),
      ...(cert !== undefined && { cert }),
      ...(key !== undefined && { key }),
      ...(servername !== undefined && { servername }),
      settings: { initialWindowSize: 2 ** 30 },
    });
    session.on('connect', () => session.setLocalWindowSize(2 ** 30));
    session.on('error', () => undefined);
    return session;
  }

  /** Resolves to the status and the body. */
  send(request: TurnRequest): Promise<{ status: number; body: Buffer }> {
    const { promise, resolve, reject } = Promise.withResolvers<{ status: number; body: Buffer }>();
    const stream = this.#open(request);
    let status = 0;
    const chunks: Buffer[] = [];
    stream.on('response', (headers) => (status = Number(headers[':status'])));
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => resolve({ status, body: Buffer.concat(chunks) }));
    stream.on('error', reject);
    return promise;
  }

  /** Reads a watch; the result waits for bytes and ends it. */
  watch(request: TurnRequest): {
    received(bytes: number): Promise<void>;
    /** Resolves when there were bytes, and none for so long. */
    quiet(ms: number): Promise<void>;
    end(): void;
  } {
    const stream = this.#open(request);
    let length = 0;
    let waiting: (() => void) | undefined;
    stream.on('data', (chunk: Buffer) => {
      length += chunk.length;
      waiting?.();
    });
    stream.on('error', () => undefined);
    return {
      quiet: (ms) => {
        const { promise, resolve } = Promise.withResolvers<void>();
        let timer: NodeJS.Timeout | undefined;
        stream.on('data', () => {
          timer ??= setTimeout(resolve, ms);
          timer.refresh();
        });
        return promise;
      },
      received: async (bytes) => {
        const { promise, resolve } = Promise.withResolvers<void>();
        waiting = () => {
          if (length >= bytes) resolve();
        };
        waiting();
        await promise;
        length -= bytes;
      },
      end: () => stream.close(8),
    };
  }

  #open({
    method,
    path,
    body,
    type = 'application/json',
    accept = 'application/json',
    encoding,
    user,
  }: TurnRequest) {
    // The server ends connections that are idle, or that respond to no ping while this process is busy.
    if (this.#session.closed || this.#session.destroyed) this.#session = this.#connect();
    const stream = this.#session.request(
      {
        ':method': method,
        ':path': path,
        accept,
        ...(encoding !== undefined && { 'accept-encoding': encoding }),
        ...(user !== undefined && { 'impersonate-user': user }),
        ...(body !== undefined && { 'content-type': type }),
      },
      { endStream: body === undefined },
    );
    if (body !== undefined) stream.end(body);
    return stream;
  }

  [Symbol.dispose](): void {
    this.#session.destroy();
  }
}
