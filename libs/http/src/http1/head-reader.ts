import { Buffer } from 'node:buffer';
import { maxHeadBytes } from '../exchange/limits.ts';
import { headLength, MalformedAnswer, parseStatusLine } from './answer-head.ts';

const emptyLine = Buffer.from('\r\n\r\n');

/**
 * Takes the bytes of the heads of one response as they come, each of them once: a large head comes in hundreds of pieces. Interim
 * responses (1xx) and the final one share {@link maxHeadBytes}.
 */
export class HeadReader {
  #pieces: string[] = [];
  #length = 0;
  /** Bytes of the heads that are complete. */
  #taken = 0;
  /** The last characters of what came, where the empty line may begin. */
  #tail = '';
  #isJudged = false;

  /** What came of a head that is not whole. */
  get text(): string {
    return this.#pieces.join('');
  }

  /** Returns the head and the bytes behind it once it is whole. Throws {@link MalformedAnswer}. */
  take(bytes: Buffer): { head: string; rest: Buffer } | undefined {
    // Whatever ends the head, it is not after this.
    const end = bytes.indexOf(emptyLine);
    const piece = bytes.toString('latin1', 0, end < 0 ? bytes.length : end + emptyLine.length);
    const before = this.#tail.length;
    const length = headLength(before === 0 ? piece : this.#tail + piece);
    const taken = length === undefined ? piece.length : length - before;
    if (this.#taken + this.#length + taken > maxHeadBytes) {
      throw new MalformedAnswer(`net/http: server response headers exceeded ${maxHeadBytes} bytes; aborted`);
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
    // What is no HTTP at all is told by its first line, whatever may follow.
    if (this.#isJudged || !piece.includes('\n')) return;
    this.#isJudged = true;
    const { text } = this;
    parseStatusLine(text.slice(0, text.indexOf('\n')).replace(/\r$/, ''));
  }
}
