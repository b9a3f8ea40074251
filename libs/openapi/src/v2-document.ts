import type { Buffer } from 'node:buffer';
import type { V2Form } from './v2-forms.ts';
import { type BySection, v2Sections } from './v2.ts';

/** Encoded members of a section: the bytes, or their number and a function that makes them. */
export type Piece = Buffer | { length: number; make(): Buffer };

/**
 * The encoded merged document. Pieces that are made on demand are not kept: the whole document is never
 * in memory.
 */
export class V2Document implements Iterable<Buffer> {
  readonly length: number;
  readonly #form: V2Form;
  readonly #pieces: BySection<readonly Piece[]>;

  constructor(form: V2Form, pieces: BySection<readonly Piece[]>) {
    this.#form = form;
    this.#pieces = pieces;
    let length = 0;
    for (const piece of this.#all()) length += piece.length;
    this.length = length;
  }

  *[Symbol.iterator](): Iterator<Buffer> {
    for (const piece of this.#all()) yield 'make' in piece ? piece.make() : piece;
  }

  *#all(): Generator<Piece> {
    const { begin, between, close, end } = this.#form;
    yield begin;
    for (const section of v2Sections) {
      yield this.#form.open(section);
      for (const [i, piece] of this.#pieces[section].entries()) {
        if (i > 0) yield between;
        yield piece;
      }
      yield close;
    }
    yield end;
  }
}
