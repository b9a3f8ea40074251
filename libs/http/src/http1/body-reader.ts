import type { Buffer } from 'node:buffer';
import { trimRight } from '@annex/machinery';
import type { Fields } from '../exchange/field-lines.ts';
import { MalformedResponse, parseFields } from './response-head.ts';
import type { Framing } from './framing.ts';

/** Consumes the bytes of a body as they arrive, and finds its end. */
export interface BodyReader {
  /** True if the body is complete. */
  readonly done: boolean;
  /** The trailers of a chunked body. */
  readonly trailers: Fields;
  /**
   * Emits the data in these bytes and returns how many of them belong to the body. Throws
   * {@link MalformedResponse}.
   */
  take(bytes: Buffer, emit: (data: Buffer) => void): number;
  /** Called at the end of the connection: returns true if the body is complete. */
  end(): boolean;
}

/** Creates the reader of a body. */
export function bodyReader(framing: Framing): BodyReader {
  switch (framing.by) {
    case 'length':
      return new LengthReader(framing.length);
    case 'chunks':
      return new ChunkReader();
    case 'close':
      return new CloseReader();
  }
}

const noTrailers: Fields = Object.freeze(Object.create(null) as Fields);

class LengthReader implements BodyReader {
  readonly trailers = noTrailers;
  #left: number;

  constructor(length: number) {
    this.#left = length;
  }

  get done(): boolean {
    return this.#left === 0;
  }

  take(bytes: Buffer, emit: (data: Buffer) => void): number {
    const length = Math.min(this.#left, bytes.length);
    this.#left -= length;
    if (length > 0) emit(length === bytes.length ? bytes : bytes.subarray(0, length));
    return length;
  }

  end(): boolean {
    return this.done;
  }
}

class CloseReader implements BodyReader {
  readonly trailers = noTrailers;
  readonly done = false;

  take(bytes: Buffer, emit: (data: Buffer) => void): number {
    emit(bytes);
    return bytes.length;
  }

  end(): boolean {
    return true;
  }
}

// Limits of Go: bytes of a chunk size line, of overhead beyond the data, and of trailers.
export const maxChunkLineBytes = 4096;
export const maxChunkExcessBytes = 16 * 1024;
export const maxTrailerBytes = 4096;

/** RFC 9112 section 7.1. Chunk extensions are ignored. */
class ChunkReader implements BodyReader {
  done = false;
  trailers = noTrailers;
  #part: 'size' | 'data' | 'dataEnd' | 'trailers' = 'size';
  /** Remaining bytes of the chunk. */
  #left = 0;
  /** The partial line, chunk end, or trailers. */
  #text = '';
  /** Bytes of overhead beyond that of a normal sender. */
  #excess = 0;

  take(bytes: Buffer, emit: (data: Buffer) => void): number {
    let at = 0;
    while (at < bytes.length && !this.done) {
      at = this.#part === 'data' ? this.#takeData(bytes, at, emit) : this.#takeText(bytes, at);
    }
    return at;
  }

  end(): boolean {
    return this.done;
  }

  #takeData(bytes: Buffer, at: number, emit: (data: Buffer) => void): number {
    const end = Math.min(bytes.length, at + this.#left);
    this.#left -= end - at;
    emit(bytes.subarray(at, end));
    if (this.#left === 0) this.#part = 'dataEnd';
    return end;
  }

  /** Consumes bytes up to the end of a line, and parses the line if it is complete. */
  #takeText(bytes: Buffer, at: number): number {
    const lineFeed = bytes.indexOf(0x0a, at);
    const end = lineFeed < 0 ? bytes.length : lineFeed + 1;
    this.#text += bytes.toString('latin1', at, end);
    if (this.#text.length > (this.#part === 'trailers' ? maxTrailerBytes : maxChunkLineBytes)) {
      throw new MalformedResponse(
        this.#part === 'trailers'
          ? 'http: suspiciously long trailer after chunked body'
          : 'header line too long',
      );
    }
    if (lineFeed < 0) return end;
    if (this.#part === 'trailers') this.#endTrailers();
    else this.#endLine();
    return end;
  }

  #endLine(): void {
    const text = this.#text;
    this.#text = '';
    if (this.#part === 'dataEnd') {
      if (text !== '\r\n') throw new MalformedResponse('malformed chunked encoding');
      this.#part = 'size';
      return;
    }
    const size = chunkSize(text);
    this.#excess = Math.max(0, this.#excess + text.length - 16 - 2 * size);
    if (this.#excess > maxChunkExcessBytes)
      throw new MalformedResponse('chunked encoding contains too much non-data');
    this.#left = size;
    this.#part = size === 0 ? 'trailers' : 'data';
  }

  #endTrailers(): void {
    if (this.#text === '\r\n') this.done = true;
    else if (this.#text.endsWith('\r\n\r\n')) {
      this.trailers = parseFields(this.#text).toObject();
      this.done = true;
    }
  }
}

function chunkSize(line: string): number {
  if (!line.endsWith('\r\n')) throw new MalformedResponse('chunked line ends with bare LF');
  const text = line.slice(0, -2);
  if (text.includes('\r')) throw new MalformedResponse('invalid CR in chunked line');
  const digits = trimRight(text.split(';', 1)[0] as string, ' \t');
  if (digits === '') throw new MalformedResponse('empty hex number for chunk length');
  if (!/^[0-9A-Fa-f]+$/.test(digits)) throw new MalformedResponse('invalid byte in chunk length');
  if (digits.length > 16) throw new MalformedResponse('http chunk length too large');
  return Number.parseInt(digits, 16);
}
