import { bytesOfText, textOfBytes } from './bytes.ts';

/** The characters that Go does not escape in each part of a URL, in addition to letters and digits. */
const unreserved = {
  path: '-_.~$&+,/:;=@',
  query: '-_.~',
  host: '-_.~!$&\'()*+,;=:[]<>"',
  user: '-_.~$&+,;=',
  fragment: '-_.~$&+,/:;=?@!()*',
} as const;

/** A part of a URL with its own set of escaped characters. */
export type EscapedPart = keyof typeof unreserved;

const tableOf = (part: EscapedPart): readonly string[] =>
  Array.from({ length: 256 }, (_, byte) => {
    const character = String.fromCharCode(byte);
    if (/[A-Za-z0-9]/.test(character) || unreserved[part].includes(character)) return character;
    if (part === 'query' && byte === 0x20) return '+';
    return `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  });

const tables: Readonly<Record<EscapedPart, readonly string[]>> = {
  path: tableOf('path'),
  query: tableOf('query'),
  host: tableOf('host'),
  user: tableOf('user'),
  fragment: tableOf('fragment'),
};

const untouched: Readonly<Record<EscapedPart, RegExp>> = {
  path: /^[-A-Za-z0-9_.~$&+,/:;=@]*$/,
  query: /^[-A-Za-z0-9_.~]*$/,
  host: /^[-A-Za-z0-9_.~!$&'()*+,;=:[\]<>"]*$/,
  user: /^[-A-Za-z0-9_.~$&+,;=]*$/,
  fragment: /^[-A-Za-z0-9_.~$&+,/:;=?@!()*]*$/,
};

/** Escapes a text like Go's net/url. */
export function escape(text: string, part: EscapedPart): string {
  if (untouched[part].test(text)) return text;
  const table = tables[part];
  let escaped = '';
  for (const byte of bytesOfText(text)) escaped += table[byte] as string;
  return escaped;
}

/** True for a byte that Go does not escape. */
export const isUnescaped = (byte: number, part: EscapedPart): boolean =>
  tables[part][byte]?.length === 1 && byte !== 0x20;

const percent = 0x25;
const badEscapePattern = /%(?![0-9A-Fa-f]{2})/;

/** Returns the first invalid escape, as Go's error quotes it: at most three bytes. */
export function badEscape(text: string): string | undefined {
  const at = text.search(badEscapePattern);
  return at < 0 ? undefined : textOfBytes(bytesOfText(text.slice(at, at + 4)).subarray(0, 3));
}

/** Decodes the escapes of a text without invalid ones. */
export function unescapePercent(text: string): string {
  if (!text.includes('%')) return text;
  // decodeURIComponent throws for invalid UTF-8, which costs more than all the rest.
  return beyondAscii.test(text) ? unescapeBytes(text) : decodeURIComponent(text);
}

const beyondAscii = /%[89A-Fa-f]/;

function unescapeBytes(text: string): string {
  const bytes = bytesOfText(text);
  let length = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] as number;
    if (byte !== percent) {
      bytes[length++] = byte;
      continue;
    }
    bytes[length++] = (hexDigit(bytes[i + 1] as number) << 4) | hexDigit(bytes[i + 2] as number);
    i += 2;
  }
  return textOfBytes(bytes.subarray(0, length));
}

/** Returns the value of an ASCII hexadecimal digit. */
const hexDigit = (byte: number): number => (byte <= 0x39 ? byte - 0x30 : (byte & 0x0f) + 9);
