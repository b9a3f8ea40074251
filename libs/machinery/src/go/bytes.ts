/**
 * A Go string is a byte sequence, which need not be UTF-8. It is represented as a string in which each byte
 * of an invalid sequence is the lone surrogate U+DC00 + byte. UTF-8 never decodes to a surrogate, so
 * different Go strings stay different, and the bytes can be restored.
 */
const escapedByte = 0xdc00;

const utf8 = new TextEncoder();
const valid = new TextDecoder('utf-8', { ignoreBOM: true });

const ascii = /^[\0-\x7f]*$/;

/** Converts bytes to the representation of a Go string. */
export function textOfBytes(bytes: Uint8Array): string {
  const parts: string[] = [];
  let validFrom = 0;
  for (let i = 0; i < bytes.length;) {
    const length = sequenceLength(bytes, i);
    if (length > 0) {
      i += length;
      continue;
    }
    if (i > validFrom) parts.push(valid.decode(bytes.subarray(validFrom, i)));
    parts.push(String.fromCharCode(escapedByte + (bytes[i] as number)));
    validFrom = ++i;
  }
  if (validFrom < bytes.length) parts.push(valid.decode(bytes.subarray(validFrom)));
  return parts.join('');
}

/** Returns the length of the valid UTF-8 sequence at an index (RFC 3629 section 4); 0 if there is none. */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const lead = bytes[at] as number;
  if (lead < 0x80) return 1;
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  // The second byte excludes overlong forms, surrogates, and code points beyond U+10FFFF.
  const least = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
  const most = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
  const second = bytes[at + 1] ?? 0;
  if (second < least || second > most) return 0;
  for (let i = at + 2; i < at + length; i++) if (((bytes[i] ?? 0) & 0xc0) !== 0x80) return 0;
  return length;
}

/** Returns the bytes of a Go string. */
export function bytesOfText(text: string): Uint8Array {
  const bytes = utf8.encode(text);
  if (text.isWellFormed()) return bytes;
  // TextEncoder writes each lone surrogate as the three bytes of U+FFFD.
  let length = 0;
  let from = 0;
  for (const character of text) {
    const code = character.codePointAt(0) as number;
    const width = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    if (code >= escapedByte + 0x80 && code <= escapedByte + 0xff) bytes[length++] = code - escapedByte;
    else for (let i = 0; i < width; i++) bytes[length++] = bytes[from + i] as number;
    from += width;
  }
  return bytes.subarray(0, length);
}

/** Converts a latin1 string of Node to a Go string; Node represents request targets and headers as latin1. */
export const textOfLatin1 = (latin1: string): string =>
  ascii.test(latin1) ? latin1 : textOfBytes(Uint8Array.from(latin1, (character) => character.charCodeAt(0)));

/** The reverse of {@link textOfLatin1}. */
export const latin1OfText = (text: string): string =>
  ascii.test(text) ? text : Array.from(bytesOfText(text), (byte) => String.fromCharCode(byte)).join('');

/** Sorts strings in place by their bytes, as Go does. */
export function sortByBytes(texts: string[]): string[] {
  if (texts.every((text) => ascii.test(text))) return texts.sort();
  // Encodes each string once, not per comparison.
  const encoded = texts.map(latin1OfText).sort();
  for (let i = 0; i < texts.length; i++) texts[i] = textOfLatin1(encoded[i] as string);
  return texts;
}
