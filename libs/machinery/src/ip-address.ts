import { goQuote } from './go/quote.ts';

/** An invalid address; the message is that of Go's `netip.ParseAddr`. */
export class IpAddressError extends Error {
  constructor(text: string, why: string, at = '') {
    super(`ParseAddr(${goQuote(text)}): ${why}${at === '' ? '' : ` (at ${goQuote(at)})`}`);
  }
}

/** An IPv4 or IPv6 address with an optional zone. Immutable. */
export class IpAddress {
  /** 4 or 16. */
  readonly bytes: readonly number[];
  readonly zone: string;

  private constructor(bytes: readonly number[], zone = '') {
    this.bytes = bytes;
    this.zone = zone;
  }

  /** Parses an address. Throws {@link IpAddressError}. */
  static parse(text: string): IpAddress {
    switch (/[.:%]/.exec(text)?.[0]) {
      case '.':
        return new IpAddress(parseIPv4(text, text));
      case ':': {
        const percent = text.indexOf('%');
        if (percent < 0) return new IpAddress(parseIPv6(text, text));
        const zone = text.slice(percent + 1);
        if (zone === '') throw new IpAddressError(text, 'zone must be a non-empty string');
        return new IpAddress(parseIPv6(text, text.slice(0, percent)), zone);
      }
      case '%':
        throw new IpAddressError(text, 'missing IPv6 address');
      default:
        throw new IpAddressError(text, 'unable to parse IP');
    }
  }

  get family(): 4 | 6 {
    return this.bytes.length === 4 ? 4 : 6;
  }

  /** An IPv6 address that represents an IPv4 address: `::ffff:1.2.3.4`. */
  get isMapped(): boolean {
    return this.family === 6 && this.bytes.slice(0, 12).every((byte, i) => byte === (i < 10 ? 0 : 255));
  }

  /** Returns the address with all bits after the first ones cleared. */
  masked(bits: number): IpAddress {
    const bytes = this.bytes.map((byte, i) => byte & maskOf(bits - i * 8));
    return new IpAddress(bytes);
  }

  equals(other: IpAddress): boolean {
    return this.zone === other.zone && this.hasPrefixOf(other, this.bytes.length * 8);
  }

  /** True if the first bits equal those of the other address, which is of the same family. */
  hasPrefixOf(other: IpAddress, bits: number): boolean {
    if (this.family !== other.family) return false;
    return this.bytes.every((byte, i) => ((byte ^ (other.bytes[i] ?? 0)) & maskOf(bits - i * 8)) === 0);
  }

  /** Returns the canonical form. */
  toString(): string {
    if (this.family === 4) return this.bytes.join('.');
    const text = this.isMapped ? `::ffff:${this.bytes.slice(12).join('.')}` : compress(groupsOf(this.bytes));
    return this.zone === '' ? text : `${text}%${this.zone}`;
  }
}

const maskOf = (bits: number): number => (bits >= 8 ? 0xff : bits <= 0 ? 0 : (0xff << (8 - bits)) & 0xff);

function groupsOf(bytes: readonly number[]): number[] {
  return Array.from({ length: 8 }, (_, i) => ((bytes[2 * i] ?? 0) << 8) | (bytes[2 * i + 1] ?? 0));
}

/** Formats hexadecimal groups, with `::` for the first longest run of at least two zeros. */
function compress(groups: readonly number[]): string {
  let [start, length] = [-1, 1];
  for (let i = 0; i < 8; i++) {
    let end = i;
    while (groups[end] === 0) end++;
    if (end - i > length) [start, length] = [i, end - i];
  }
  const hex = groups.map((group) => group.toString(16));
  if (start < 0) return hex.join(':');
  return `${hex.slice(0, start).join(':')}::${hex.slice(start + length).join(':')}`;
}

function parseIPv4(whole: string, text: string): number[] {
  const refuse = (why: string, at = ''): never => {
    throw new IpAddressError(whole, why, at);
  };
  const bytes: number[] = [];
  let digits = '';
  for (let i = 0; i < text.length; i++) {
    const c = text.charAt(i);
    if (c >= '0' && c <= '9') {
      if (digits === '0') refuse('IPv4 field has octet with leading zero');
      digits += c;
      if (Number(digits) > 255) refuse('IPv4 field has value >255');
    } else if (c === '.') {
      if (digits === '' || i === text.length - 1) {
        refuse('IPv4 field must have at least one digit', text.slice(i));
      }
      if (bytes.length === 3) refuse('IPv4 address too long');
      bytes.push(Number(digits));
      digits = '';
    } else refuse('unexpected character', text.slice(i));
  }
  if (bytes.length < 3) refuse('IPv4 address too short');
  return [...bytes, Number(digits)];
}

function parseIPv6(whole: string, text: string): number[] {
  const refuse = (why: string, at = ''): never => {
    throw new IpAddressError(whole, why, at);
  };
  const bytes: number[] = [];
  let ellipsis = text.startsWith('::') ? 0 : -1;
  let rest = ellipsis === 0 ? text.slice(2) : text;
  while (bytes.length < 16 && rest !== '') {
    const group = groupAt(rest, refuse);
    if (rest.charAt(group.length) === '.') {
      bytes.push(...embeddedIPv4(whole, rest, bytes.length, ellipsis, refuse));
      rest = '';
      break;
    }
    bytes.push(parseInt(group, 16) >> 8, parseInt(group, 16) & 0xff);
    rest = rest.slice(group.length);
    if (rest === '') break;
    if (!rest.startsWith(':')) refuse('unexpected character, want colon', rest);
    if (rest.length === 1) refuse('colon must be followed by more characters', rest);
    rest = rest.slice(1);
    if (!rest.startsWith(':')) continue;
    if (ellipsis >= 0) refuse('multiple :: in address', rest);
    ellipsis = bytes.length;
    rest = rest.slice(1);
  }
  if (rest !== '') refuse('trailing garbage after address', rest);
  if (bytes.length === 16 && ellipsis >= 0) refuse('the :: must expand to at least one field of zeros');
  if (bytes.length < 16 && ellipsis < 0) refuse('address string too short');
  bytes.splice(Math.max(ellipsis, 0), 0, ...new Array<number>(16 - bytes.length).fill(0));
  return bytes;
}

type Refuse = (why: string, at?: string) => never;

/** Returns the leading hexadecimal digits of the rest of an address. */
function groupAt(rest: string, refuse: Refuse): string {
  const group = /^[0-9a-fA-F]*/.exec(rest)?.[0] ?? '';
  if (group.length > 4) refuse('each group must have 4 or less digits', rest);
  if (group === '') refuse('each colon-separated field must have at least one digit', rest);
  return group;
}

function embeddedIPv4(
  whole: string,
  rest: string,
  before: number,
  ellipsis: number,
  refuse: Refuse,
): number[] {
  if (ellipsis < 0 && before !== 12) {
    refuse('embedded IPv4 address must replace the final 2 fields of the address', rest);
  }
  if (before > 12) refuse('too many hex fields to fit an embedded IPv4 at the end of the address', rest);
  return parseIPv4(whole, rest);
}
