import { goQuote } from './go-quote.ts';
import { IpAddress, IpAddressError } from './ip-address.ts';

/** Thrown for a text that is no URL; the message is that of Go's `url.Parse`. */
export class UrlError extends Error {}

/** The parts of a URL, unescaped as Go does it; texts are byte strings where escapes make them so. */
export interface GoUrl {
  readonly scheme: string;
  /** What follows the scheme where that is no path: `mailto:this`. */
  readonly opaque: string;
  /** Name and password, as they were written. */
  readonly user: string | undefined;
  readonly host: string;
  /** As it was written, or escaped where that is not valid. */
  readonly escapedPath: string;
  readonly rawQuery: string;
  readonly text: string;
}

/** Where a text stands decides what may be in it unescaped. */
type Part = 'path' | 'user' | 'host' | 'zone' | 'query' | 'fragment';

/** Reads a URL or a relative reference. Throws {@link UrlError}. */
export function parseUrl(text: string): GoUrl {
  const hash = text.indexOf('#');
  const withoutFragment = hash < 0 ? text : text.slice(0, hash);
  const fragment = hash < 0 ? '' : text.slice(hash + 1);
  const url = parse(withoutFragment, false);
  named(text, () => unescape(fragment, 'fragment'));
  return { ...url, text: fragment === '' ? url.text : `${url.text}#${fragment}` };
}

/** Reads an absolute URL or an absolute path, in which `#` is a character as others. Throws {@link UrlError}. */
export const parseRequestUrl = (text: string): GoUrl => parse(text, true);

/** The values of each key of a query, unescaped; what cannot be read is left out. */
export function parseUrlQuery(query: string): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const pair of query.split('&')) {
    if (pair === '' || pair.includes(';')) continue;
    const equals = pair.indexOf('=');
    const [key, value] = equals < 0 ? [pair, ''] : [pair.slice(0, equals), pair.slice(equals + 1)];
    try {
      const name = unescape(key, 'query');
      const text = unescape(value, 'query');
      values.set(name, [...(values.get(name) ?? []), text]);
    } catch (error) {
      if (!(error instanceof UrlError)) throw error;
    }
  }
  return values;
}

const refuse = (why: string): never => {
  throw new UrlError(why);
};

function named<T>(text: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof UrlError || error instanceof IpAddressError) {
      throw new UrlError(`parse ${goQuote(text)}: ${error.message}`);
    }
    throw error;
  }
}

function parse(text: string, ofRequest: boolean): GoUrl {
  return named(text, () => {
    if (/[\u0000-\u001f\u007f]/.test(text)) refuse('net/url: invalid control character in URL');
    if (text === '' && ofRequest) refuse('empty url');
    if (text.startsWith(':')) refuse('missing protocol scheme');
    const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(text)?.[1] ?? '';
    const afterScheme = scheme === '' ? text : text.slice(scheme.length + 1);
    const question = afterScheme.indexOf('?');
    const rest = question < 0 ? afterScheme : afterScheme.slice(0, question);
    const rawQuery = question < 0 ? '' : afterScheme.slice(question + 1);
    return parseHierarchy(scheme.toLowerCase(), rest, rawQuery, question >= 0, ofRequest);
  });
}

function parseHierarchy(
  scheme: string,
  rest: string,
  rawQuery: string,
  hasQuery: boolean,
  ofRequest: boolean,
): GoUrl {
  const query = hasQuery ? `?${rawQuery}` : '';
  const prefix = scheme === '' ? '' : `${scheme}:`;
  if (!rest.startsWith('/') && !(rest === '*' && scheme === '')) {
    if (scheme !== '') {
      const text = `${prefix}${rest}${query}`;
      return { scheme, opaque: rest, user: undefined, host: '', escapedPath: '', rawQuery, text };
    }
    if (ofRequest) refuse('invalid URI for request');
    if (rest.split('/')[0]?.includes(':')) refuse('first path segment in URL cannot contain colon');
  }
  const hasAuthority = rest.startsWith('//') && (scheme !== '' || (!ofRequest && !rest.startsWith('///')));
  const slash = hasAuthority ? rest.indexOf('/', 2) : 0;
  const authority = hasAuthority ? rest.slice(2, slash < 0 ? undefined : slash) : '';
  const path = slash < 0 ? '' : rest.slice(slash);
  const { user, host } = parseAuthority(scheme, authority);
  const escapedPath = escapePath(path);
  const at = user === undefined ? '' : `${user}@`;
  const start = hasAuthority ? `//${at}${escapeHost(host)}` : '';
  const text = `${prefix}${start}${escapedPath}${query}`;
  return { scheme, opaque: '', user, host, escapedPath, rawQuery, text };
}

function parseAuthority(scheme: string, authority: string): { user: string | undefined; host: string } {
  const at = authority.lastIndexOf('@');
  const host = parseHost(scheme, authority.slice(at + 1));
  if (at < 0) return { user: undefined, host };
  const user = authority.slice(0, at);
  if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(user)) refuse('net/url: invalid userinfo');
  unescape(user, 'user');
  return { user, host };
}

function parseHost(scheme: string, host: string): string {
  const bracket = host.lastIndexOf('[');
  if (bracket > 0) refuse('invalid IP-literal');
  if (bracket === 0) return parseLiteral(host);
  const strict = scheme === 'http' || scheme === 'https';
  const colon = strict ? host.indexOf(':') : host.lastIndexOf(':');
  if (colon >= 0) checkPort(host.slice(colon));
  return unescape(host, 'host');
}

/** An address in brackets. */
function parseLiteral(host: string): string {
  const end = host.lastIndexOf(']');
  if (end < 0) refuse("missing ']' in host");
  const port = host.slice(end + 1);
  checkPort(port);
  const name = host.slice(1, end);
  const zone = name.indexOf('%25');
  const literal =
    zone < 0
      ? unescape(name, 'host')
      : unescape(name.slice(0, zone), 'host') + unescape(name.slice(zone), 'zone');
  if (addressOf(literal).family === 4) refuse('invalid IP-literal');
  return `[${literal}]${port}`;
}

function addressOf(literal: string): IpAddress {
  try {
    return IpAddress.parse(literal);
  } catch (error) {
    if (error instanceof IpAddressError) return refuse(`invalid host: ${error.message}`);
    throw error;
  }
}

function checkPort(port: string): void {
  if (!/^(:\d*)?$/.test(port)) refuse(`invalid port ${goQuote(port)} after host`);
}

const inHost = /^[A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"]$/;

function unescape(text: string, part: Part): string {
  const isHost = part === 'host' || part === 'zone';
  const bytes: number[] = [];
  for (let i = 0; i < text.length; i++) {
    const c = text.charAt(i);
    if (c === '%') {
      const escape = text.slice(i, i + 3);
      const byte = /^%[0-9A-Fa-f]{2}$/.test(escape) ? parseInt(escape.slice(1), 16) : -1;
      if (byte < 0 || !mayEscape(escape, byte, part)) refuse(`invalid URL escape ${goQuote(escape)}`);
      bytes.push(byte);
      i += 2;
    } else if (isHost && c < '\u0080' && !inHost.test(c)) {
      refuse(`invalid character ${goQuote(c)} in host name`);
    } else if (c === '+' && part === 'query') bytes.push(0x20);
    else {
      const character = String.fromCodePoint(text.codePointAt(i) ?? 0);
      bytes.push(...utf8.encode(character));
      i += character.length - 1;
    }
  }
  return new TextDecoder().decode(Uint8Array.from(bytes));
}

const utf8 = new TextEncoder();

/** A host may escape bytes beyond ASCII and the percent sign, a zone also spaces and what a host may not have. */
function mayEscape(escape: string, byte: number, part: Part): boolean {
  if (escape === '%25') return true;
  if (part === 'host') return byte >= 0x80;
  return part !== 'zone' || byte === 0x20 || inHost.test(String.fromCharCode(byte));
}

const inEscapedPath = /^(?:[A-Za-z0-9\-_.~!$&'()*+,;=:@/[\]]|%[0-9A-Fa-f]{2})*$/;
const inPath = /^[A-Za-z0-9\-_.~$&+,/:;=@]$/;

function escapePath(path: string): string {
  if (path === '*') return path;
  const plain = unescape(path, 'path');
  return inEscapedPath.test(path) ? path : escapeWhereNot(plain, inPath);
}

const escapeHost = (host: string): string => escapeWhereNot(host, inHost);

function escapeWhereNot(text: string, plain: RegExp): string {
  let escaped = '';
  for (const character of text) {
    if (plain.test(character)) escaped += character;
    else
      for (const byte of utf8.encode(character))
        escaped += `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return escaped;
}
