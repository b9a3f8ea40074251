import { Duplex } from 'node:stream';

/**
 * Bytes that wait for a peer that does not read. Data is bounded by the windows of HTTP/2; what exceeds them are responses to a
 * flood of pings or settings.
 */
export const maxUnreadConnectionBytes = 64 * 1024 * 1024;

/**
 * A connection whose writes never block. Node's HTTP/2 does not read while a write is blocked: two peers that both send much would
 * wait for each other forever.
 */
export class Unblocked extends Duplex {
  readonly #socket: Duplex & { bytesRead?: number };

  constructor(socket: Duplex) {
    super();
    this.#socket = socket;
    socket.on('data', (chunk) => {
      if (!this.push(chunk)) socket.pause();
    });
    socket.once('end', () => this.push(null));
    socket.once('error', (error) => this.destroy(error));
    socket.once('close', () => this.destroy());
  }

  get bytesRead(): number {
    return this.#socket.bytesRead ?? 0;
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error) => void): void {
    this.#socket.write(chunk);
    done(this.#overflow());
  }

  override _writev(chunks: { chunk: Buffer }[], done: (error?: Error) => void): void {
    this.#socket.cork();
    for (const { chunk } of chunks) this.#socket.write(chunk);
    this.#socket.uncork();
    done(this.#overflow());
  }

  override _final(done: () => void): void {
    this.#socket.end();
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }

  #overflow(): Error | undefined {
    return this.#socket.writableLength > maxUnreadConnectionBytes
      ? new Error('the peer does not read')
      : undefined;
  }
}
