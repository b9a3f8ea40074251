import { isBase64, isDate, isDateTime, isTextDuration } from '@annex/cel';
import { isRequestUrl } from '@annex/machinery';
import { RE2JS } from 're2js';
import { isCIDR, isIPv6, isSloppyIP } from '../go-decoding/ip-text.ts';

type FormatTest = (text: string) => boolean;

const matching =
  (pattern: RegExp): FormatTest =>
  (text) =>
    pattern.test(text);

/** The string formats that kube-apiserver 1.36 checks in CRD schemas, by name without dashes. */
const formats: ReadonlyMap<string, FormatTest> = new Map<string, FormatTest>([
  ['bsonobjectid', matching(/^[0-9a-fA-F]{24}$/)],
  ['uri', isRequestUrl],
  ['email', isEmail],
  ['hostname', isHostname],
  ['ipv4', (text) => text.includes('.') && isSloppyIP(text)],
  ['ipv6', (text) => isIPv6(text)],
  ['cidr', isCIDR],
  ['mac', isMAC],
  ['uuid', (text) => isUuid(text, /^/)],
  ['uuid3', (text) => isUuid(text, /^3/)],
  ['uuid4', (text) => isUuid(text, /^4[0-9a-f]{3}[89ab]/)],
  ['uuid5', (text) => isUuid(text, /^5[0-9a-f]{3}[89ab]/)],
  ['isbn', (text) => isISBN10(text) || isISBN13(text)],
  ['isbn10', isISBN10],
  ['isbn13', isISBN13],
  ['creditcard', isCreditCard],
  ['ssn', matching(/^(?=.{11}$)\d{3}[- ]?\d{2}[- ]?\d{4}$/)],
  ['hexcolor', matching(/^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/)],
  ['rgbcolor', isRGBColor],
  ['byte', isBase64],
  ['password', () => true],
  ['date', isDate],
  ['duration', isTextDuration],
  ['datetime', isDateTime],
  ['k8sshortname', (text) => text.length <= 63 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(text)],
  ['k8slongname', isLongName],
]);

const uuidParts = [8, 4, 4, 4, 12];

/** Returns true for a UUID with or without dashes; `version` matches the third and fourth part. */
function isUuid(text: string, version: RegExp): boolean {
  let at = 0;
  const parts = uuidParts.map((length, i) => {
    if (i > 0 && text[at] === '-') at++;
    at += length;
    return text.slice(at - length, at);
  });
  const digits = parts.join('').toLowerCase();
  const isWhole = at === text.length && digits.length === 32 && /^[0-9a-f]+$/.test(digits);
  return isWhole && version.test(digits.slice(12));
}

const normalized = (format: string): string => format.replaceAll('-', '');

/** Returns the test of a string format, `undefined` for an unknown format. Dashes in the name are ignored. */
export function stringFormat(format: string): FormatTest | undefined {
  return formats.get(normalized(format));
}

const numberFormats = new Map([
  ['integer', ['int32', 'int64']],
  ['number', ['float', 'double']],
]);

/** Returns true if kube-apiserver checks the format for the type; it warns about other formats and ignores them. */
export function isRecognizedFormat(type: string, format: string): boolean {
  if (type === '' || type === 'string') return formats.has(normalized(format));
  return numberFormats.get(type)?.includes(format) ?? false;
}

const compactISBN = (text: string): string => text.replace(/[\s-]+/g, '');

function isISBN10(text: string): boolean {
  const digits = compactISBN(text);
  if (!/^(\d{9}X|\d{10})$/.test(digits)) return false;
  const sum = [...digits].reduce(
    (total, digit, i) => total + (i + 1) * (digit === 'X' ? 10 : Number(digit)),
    0,
  );
  return sum % 11 === 0;
}

function isISBN13(text: string): boolean {
  const digits = compactISBN(text);
  if (!/^\d{13}$/.test(digits)) return false;
  return [...digits].reduce((total, digit, i) => total + (i % 2 === 0 ? 1 : 3) * Number(digit), 0) % 10 === 0;
}

/** The prefixes of card numbers by number of digits. */
const cardNumbers: ReadonlyMap<number, RegExp> = new Map([
  [13, /^4/],
  [14, /^3(?:0[0-5]|[68])/],
  [15, /^(?:3[47]|2131|1800)/],
  [16, /^(?:4|5[1-5]|6011|65|35)/],
]);

function isCreditCard(text: string): boolean {
  const digits = text.replace(/\D+/g, '');
  if (!cardNumbers.get(digits.length)?.test(digits)) return false;
  const sum = [...digits].reverse().reduce((total, digit, i) => {
    const doubled = i % 2 === 0 ? Number(digit) : Number(digit) * 2;
    return total + (doubled >= 10 ? doubled - 9 : doubled);
  }, 0);
  return sum % 10 === 0;
}

function isRGBColor(text: string): boolean {
  const parts = /^rgb\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})\s*\)$/.exec(text);
  return parts !== null && parts.slice(1).every((part) => /^(0|[1-9]\d*)$/.test(part) && Number(part) <= 255);
}

const addressGroups = [
  /^[0-9a-f]{2}(?::[0-9a-f]{2})+$/i,
  /^[0-9a-f]{2}(?:-[0-9a-f]{2})+$/i,
  /^(?:[0-9a-f]{4}\.)+[0-9a-f]{4}$/i,
  /^[0-9a-f]+$/i,
];

function isMAC(text: string): boolean {
  if (!addressGroups.some((grouped) => grouped.test(text))) return false;
  return [12, 16, 40].includes(text.replace(/[:.-]/g, '').length);
}

function isLongName(text: string): boolean {
  return text.length <= 253 && text.split('.').every((part) => /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(part));
}

// An atom of an email address: printable characters without the specials of RFC 5322, and all non-ASCII characters.
const atom = String.raw`[!#$%&'*+\-/0-9=?A-Z^_\x60a-z{|}~\x{80}-\x{10ffff}]+`;
const dotAtom = String.raw`${atom}(?:\.${atom})*`;
const quotedChar = String.raw`(?:[\t !#-\[\]-~\x{80}-\x{10ffff}]|\\[\t -~\x{80}-\x{10ffff}])`;
const addressSpec = String.raw`(?:${dotAtom}|"${quotedChar}+")@[ \t]*(?:${dotAtom}|\[([0-9A-Za-z:.]+)\])`;
const email = lazyPattern(
  String.raw`^[ \t]*(?:${addressSpec}|(?:"${quotedChar}*"|[^"()<>\[\]:;@\\,])*<[ \t]*${addressSpec}>)[ \t]*(?:\([^()\\]*\))?[ \t]*$`,
);

function isEmail(text: string): boolean {
  const parts = email().matcher(text);
  if (!parts.find()) return false;
  const literal = parts.group(1) ?? parts.group(2);
  return literal === null || literal === undefined || isSloppyIP(literal);
}

const label = String.raw`a-zA-Z0-9\p{S}\p{L}`;
const hostname = lazyPattern(
  `^([${label}](-?[${label}]{0,62})?|([${label}]([${label}-]{0,61}[${label}])?\\.)+[a-zA-Z\\p{L}]{2,63})$`,
);

function isHostname(text: string): boolean {
  if (!hostname().test(text)) return false;
  const bytes = (part: string): number => new TextEncoder().encode(part).length;
  return bytes(text) <= 255 && text.split('.').every((part) => bytes(part) <= 63);
}

/** A pattern that RegExp could take more than linear time for; compiled with RE2 on first use. */
function lazyPattern(pattern: string): () => RE2JS {
  let compiled: RE2JS | undefined;
  return () => (compiled ??= RE2JS.compile(pattern));
}
