/** Encodes the DER of ITU-T X.690: a tag, the length in its shortest form, and the content. */
export function der(tag: number, ...content: readonly Buffer[]): Buffer {
  const bytes = Buffer.concat(content);
  return Buffer.concat([Buffer.from([tag]), lengthOf(bytes.length), bytes]);
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const bytes = length < 0x100 ? [length] : [length >> 8, length & 0xff];
  if (length > 0xffff) throw new RangeError(`${length} bytes are too many for a certificate`);
  return Buffer.from([0x80 | bytes.length, ...bytes]);
}

export const sequence = (...items: readonly Buffer[]): Buffer => der(0x30, ...items);
export const set = (...items: readonly Buffer[]): Buffer => der(0x31, ...items);
export const octetString = (content: Buffer): Buffer => der(0x04, content);
export const utf8String = (text: string): Buffer => der(0x0c, Buffer.from(text));
export const yes = der(0x01, Buffer.from([0xff]));

/** `unused` is the number of bits at the end that do not count. */
export const bitString = (content: Buffer, unused = 0): Buffer => der(0x03, Buffer.from([unused]), content);

/** An integer of the bytes of a positive number, whose first bit is 0. */
export const integer = (bytes: Buffer): Buffer => der(0x02, bytes);

/** An object identifier such as `2.5.4.3`. */
export function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return der(0x06, Buffer.from([first * 40 + second, ...rest].flatMap(base128)));
}

/** Seven bits a byte; all bytes but the last have the first bit. */
function base128(value: number): number[] {
  const bytes = [value & 0x7f];
  for (let left = Math.floor(value / 0x80); left > 0; left = Math.floor(left / 0x80)) {
    bytes.unshift(0x80 | (left & 0x7f));
  }
  return bytes;
}

/** A time of a certificate: with two digits of the year until 2049, as RFC 5280 requires. */
export function time(milliseconds: number): Buffer {
  const digits = new Date(milliseconds).toISOString().slice(0, 19).replaceAll(/[-:T]/g, '');
  return digits < '2050'
    ? der(0x17, Buffer.from(`${digits.slice(2)}Z`))
    : der(0x18, Buffer.from(`${digits}Z`));
}
