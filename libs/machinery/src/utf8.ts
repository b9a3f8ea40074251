/**
 * Returns the length of a string in UTF-8 bytes, like Go's `len`. A lone surrogate counts as the three bytes
 * of U+FFFD.
 */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x80) continue;
    if (code < 0x800) bytes += 1;
    else if (code >= 0xd800 && code < 0xdc00 && isLow(text.charCodeAt(i + 1))) {
      bytes += 2;
      i++;
    } else bytes += 2;
  }
  return bytes;
}

const isLow = (code: number) => code >= 0xdc00 && code < 0xe000;

/** Returns where a slice of a text ends that should end at `end`: one character earlier if it would divide a pair of surrogates. */
export const wholeEnd = (text: string, end: number): number =>
  (text.charCodeAt(end - 1) & 0xfc00) === 0xd800 ? end - 1 : end;

/**
 * Encodes a text whose bytes stay in memory. `Buffer.from` puts short texts into blocks of several kilobytes, each of which stays as long
 * as one of its texts.
 */
export function keptBytes(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
}
