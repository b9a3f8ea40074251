import type { Buffer } from 'node:buffer';
import { type KindWords, TextTemplate } from './kind-words.ts';
import { type FieldWriter, ProtobufWriter, varintLength } from './protobuf-writer.ts';

/** Encoded fields, a text with holes, or a message that contains such a text. */
type Field = Buffer | { field: number; text: TextTemplate } | { field: number; message: readonly Field[] };

/** Is used again: new memory for each of ten thousand kinds would be collected while a document is written. */
const filling = new ProtobufWriter();

/** Records a message of the marker kind, to encode it for other kinds. */
export class ProtobufTemplate implements FieldWriter {
  readonly #fields: Field[] = [];
  #constant = new ProtobufWriter();

  text(field: number, value: string): this {
    const text = new TextTemplate(value);
    if (text.isConstant) this.#constant.text(field, value);
    else this.#push({ field, text });
    return this;
  }

  bool(field: number, value: boolean): this {
    this.#constant.bool(field, value);
    return this;
  }

  integer(field: number, value: number | bigint): this {
    this.#constant.integer(field, value);
    return this;
  }

  double(field: number, value: number): this {
    this.#constant.double(field, value);
    return this;
  }

  message(field: number, write: (message: FieldWriter) => void): this {
    const inner = new ProtobufTemplate();
    write(inner);
    const message = inner.#whole();
    if (message.every((part) => 'length' in part))
      this.#constant.message(field, (out) => message.forEach((bytes) => out.fields(bytes)));
    else this.#push({ field, message });
    return this;
  }

  /** Returns the number of bytes for a kind with these names. */
  size(words: KindWords): number {
    return sizeOf(this.#whole(), words);
  }

  fill(words: KindWords): Buffer {
    writeFields(filling, this.#whole(), words);
    return filling.finish();
  }

  #push(field: Field): void {
    this.#whole().push(field);
  }

  #whole(): Field[] {
    const bytes = this.#constant.finish();
    if (bytes.length > 0) {
      this.#fields.push(bytes);
      this.#constant = new ProtobufWriter();
    }
    return this.#fields;
  }
}

function sizeOf(fields: readonly Field[], words: KindWords): number {
  let size = 0;
  for (const part of fields) {
    if ('length' in part) {
      size += part.length;
    } else {
      const content = 'text' in part ? part.text.size(words) : sizeOf(part.message, words);
      size += varintLength(part.field * 8) + varintLength(content) + content;
    }
  }
  return size;
}

function writeFields(out: ProtobufWriter, fields: readonly Field[], words: KindWords): void {
  for (const part of fields) {
    if ('length' in part) out.fields(part);
    else if ('text' in part) out.text(part.field, part.text.fill(words));
    else out.message(part.field, (inner) => writeFields(inner, part.message, words));
  }
}
