import { Buffer } from 'node:buffer';
import { maxHeadBytes } from '../exchange/limits.ts';
import { headLength, MalformedResponse, parseStatusLine } from './response-head.ts';

const emptyLine = Buffer.from('\r\n\r\n');

/**
 * Consumes the bytes of the heads of one response as they arrive, each of them once: a large head arrives in
 * hundreds of pieces. Interim responses (1xx) and the final one share {@link maxHeadBytes}.
 */
export class HeadReader {
  #pieces: string[] = [];
  #length = 0;
  /** Bytes of the completed heads. */
  #taken = 0;
  /** The last characters received, which may contain the start of the empty line. */
  #tail = '';
  #isJudged = false;

  /** The text of an incomplete head. */
  get text(): string {
    return this.#pieces.join('');
  }

  /** Returns the head and the bytes after it when it is complete. Throws {@link MalformedResponse}. */
  take(bytes: Buffer): { head: string; rest: Buffer } | undefined {
    // The head ends here or earlier.
    const end = bytes.indexOf(emptyLine);
    const piece = bytes.toString('latin1', 0, end < 0 ? bytes.length : end + emptyLine.length);
    const before = this.#tail.length;
    const length = headLength(before === 0 ? piece : this.#tail + piece);
    const taken = length === undefined ? piece.length : length - before;
    if (this.#taken + this.#length + taken > maxHeadBytes) {
      throw new MalformedResponse(
        `net/http: server response headers exceeded ${maxHeadBytes} bytes; aborted`,
      );
    }
    if (length === undefined) return void this.#keep(piece);
    const head = this.#length === 0 ? piece.slice(0, taken) : this.#end(piece.slice(0, taken));
    this.#taken += head.length;
    return { head, rest: bytes.subarray(taken) };
  }

  #end(last: string): string {
    const head = this.text + last;
    this.#pieces = [];
    this.#length = 0;
    this.#tail = '';
    this.#isJudged = false;
    return head;
  }

  #keep(piece: string): void {
    this.#pieces.push(piece);
    this.#length += piece.length;
    this.#tail = (this.#tail + piece).slice(-2);
    // The first line suffices to detect a protocol that is not HTTP.
    if (this.#isJudged || !piece.includes('\n')) return;
    this.#isJudged = true;
    const { text } = this;
    parseStatusLine(text.slice(0, text.indexOf('\n')).replace(/\r$/, ''));
  }
}
