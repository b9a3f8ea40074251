import { Buffer } from 'node:buffer';
import { type FrameHeader, frameHeaderBytes, readFrameHeader } from './frame.ts';

/** What becomes of a frame: its bytes pass, it is wanted as a whole, or its payload is wanted in the pieces that arrive. */
export type FrameUse = 'pass' | 'whole' | 'payload';

/** Takes the frames of one direction. */
export interface FrameSink {
  /** A frame begins. */
  begin(frame: FrameHeader): FrameUse;
  /** Bytes of frames that pass, in any pieces. */
  pass(bytes: Buffer): void;
  /** A frame with its header. Only small frames may be wanted as a whole. */
  whole(frame: FrameHeader, bytes: Buffer): void;
  /** A piece of a payload; the last one ends the frame, and is empty for a frame without payload. */
  payload(frame: FrameHeader, bytes: Buffer, isLast: boolean): void;
}

/** Finds the frames in the bytes of one direction of an HTTP/2 connection, in linear time. */
export class FrameScanner {
  readonly #sink: FrameSink;
  /** Bytes that pass before the next header: the preface of the client, or the rest of a frame. */
  #passing: number;
  #frame: FrameHeader | undefined;
  #use: FrameUse = 'pass';
  /** Bytes of the payload that are to come. */
  #rest = 0;
  #partial: Buffer[] = [];
  #partialBytes = 0;

  constructor(sink: FrameSink, preface: number) {
    this.#sink = sink;
    this.#passing = preface;
  }

  /** No frame has begun and not ended. */
  get isBetweenFrames(): boolean {
    return this.#passing === 0 && this.#frame === undefined && this.#partialBytes === 0;
  }

  add(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) at = this.#step(chunk, at);
  }

  /** Returns the index of the next byte. */
  #step(chunk: Buffer, at: number): number {
    if (this.#passing > 0) return this.#pass(chunk, at);
    if (this.#frame === undefined) return this.#header(chunk, at);
    return this.#use === 'whole'
      ? this.#collect(chunk, at, this.#frame)
      : this.#payload(chunk, at, this.#frame);
  }

  #pass(chunk: Buffer, at: number): number {
    const end = Math.min(chunk.length, at + this.#passing);
    this.#passing -= end - at;
    this.#sink.pass(chunk.subarray(at, end));
    return end;
  }

  #header(chunk: Buffer, at: number): number {
    if (this.#partialBytes === 0 && chunk.length - at >= frameHeaderBytes) {
      this.#begin(chunk, at);
      return at + frameHeaderBytes;
    }
    const end = Math.min(chunk.length, at + frameHeaderBytes - this.#partialBytes);
    this.#keep(chunk.subarray(at, end));
    if (this.#partialBytes === frameHeaderBytes) this.#begin(this.#kept(), 0);
    return end;
  }

  #begin(bytes: Buffer, at: number): void {
    const frame = readFrameHeader(bytes, at);
    const header = bytes.subarray(at, at + frameHeaderBytes);
    this.#use = this.#sink.begin(frame);
    if (this.#use === 'pass') {
      this.#passing = frame.length;
      return this.#sink.pass(header);
    }
    if (this.#use === 'whole' && frame.length === 0) return this.#sink.whole(frame, header);
    if (this.#use === 'whole') this.#keep(header);
    else if (frame.length === 0) return this.#sink.payload(frame, empty, true);
    this.#frame = frame;
    this.#rest = frame.length;
  }

  #payload(chunk: Buffer, at: number, frame: FrameHeader): number {
    const end = Math.min(chunk.length, at + this.#rest);
    this.#rest -= end - at;
    if (this.#rest === 0) this.#frame = undefined;
    this.#sink.payload(frame, chunk.subarray(at, end), this.#rest === 0);
    return end;
  }

  #collect(chunk: Buffer, at: number, frame: FrameHeader): number {
    const end = Math.min(chunk.length, at + this.#rest);
    this.#rest -= end - at;
    this.#keep(chunk.subarray(at, end));
    if (this.#rest === 0) {
      this.#frame = undefined;
      this.#sink.whole(frame, this.#kept());
    }
    return end;
  }

  #keep(bytes: Buffer): void {
    this.#partial.push(bytes);
    this.#partialBytes += bytes.length;
  }

  #kept(): Buffer {
    const bytes = Buffer.concat(this.#partial, this.#partialBytes);
    this.#partial = [];
    this.#partialBytes = 0;
    return bytes;
  }
}

const empty = Buffer.alloc(0);
