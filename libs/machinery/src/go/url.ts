import { IpAddress, IpAddressError } from '../ip-address.ts';
import { badEscape, escape, isUnescaped, unescapePercent } from './escape.ts';
import { goQuote } from './quote.ts';

/** An invalid URL; the message is that of Go's `url.Parse`. */
export class UrlError extends Error {}

/** The parts of a URL, unescaped like Go does; invalid UTF-8 bytes are represented as in bytes.ts. */
export interface GoUrl {
  readonly scheme: string;
  /** The part after the scheme if it is not a path: `mailto:this`. */
  readonly opaque: string;
  /** Name and password, as sent. */
  readonly user: string | undefined;
  readonly host: string;
  readonly path: string;
  /** The path as sent, or escaped if that is invalid. */
  readonly escapedPath: string;
  readonly rawQuery: string;
  /** The request target: path, or opaque part, and query. */
  readonly requestUri: string;
  /** With the leading hash, as sent, or escaped if that is invalid. */
  readonly fragment: string;
  readonly text: string;
}

/** Parses a URL or a relative reference. Throws {@link UrlError}. */
export function parseUrl(text: string): GoUrl {
  const hash = text.indexOf('#');
  const withoutFragment = hash < 0 ? text : text.slice(0, hash);
  const url = parse(withoutFragment, false);
  const fragment = hash < 0 ? '' : named(text, () => parseFragment(text.slice(hash + 1)));
  return fragment === '' ? url : { ...url, fragment: `#${fragment}`, text: `${url.text}#${fragment}` };
}

const validFragment = /^(?:[A-Za-z0-9\-_.~!$&'()*+,;=:@/?[\]]|%[0-9A-Fa-f]{2})*$/;

/** Returns the fragment as sent, or escaped if that is invalid. */
function parseFragment(written: string): string {
  requireEscapes(written);
  return validFragment.test(written) ? written : escape(unescapePercent(written), 'fragment');
}

/**
 * Parses an absolute URL or an absolute path, in which `#` is an ordinary character. Throws {@link UrlError}.
 */
export const parseRequestUrl = (text: string): GoUrl => parse(text, true);

/** Returns true for what {@link parseRequestUrl} accepts: an absolute URI or an absolute path. */
export function isRequestUrl(text: string): boolean {
  try {
    parseRequestUrl(text);
    return true;
  } catch (error) {
    if (error instanceof UrlError) return false;
    throw error;
  }
}

const refuse = (why: string): never => {
  throw new UrlError(why);
};

function named<T>(text: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof UrlError) throw new UrlError(`parse ${goQuote(text)}: ${error.message}`);
    throw error;
  }
}

const controlCharacter = /[\u0000-\u001f\u007f]/;
const schemePrefix = /^([A-Za-z][A-Za-z0-9+.-]*):/;

function parse(text: string, ofRequest: boolean): GoUrl {
  return named(text, () => {
    if (controlCharacter.test(text)) refuse('net/url: invalid control character in URL');
    if (text === '' && ofRequest) refuse('empty url');
    if (text === '*') return complete({ path: '*', escapedPath: '*' });
    if (text.startsWith(':')) refuse('missing protocol scheme');
    const scheme = schemePrefix.exec(text)?.[1] ?? '';
    const afterScheme = scheme === '' ? text : text.slice(scheme.length + 1);
    const question = afterScheme.indexOf('?');
    const rest = question < 0 ? afterScheme : afterScheme.slice(0, question);
    const query = question < 0 ? '' : afterScheme.slice(question);
    return parseHierarchy(scheme.toLowerCase(), rest, query, ofRequest);
  });
}

/** `query` includes the leading question mark. */
function parseHierarchy(scheme: string, rest: string, query: string, ofRequest: boolean): GoUrl {
  if (!rest.startsWith('/')) {
    if (scheme !== '') return complete({ scheme, opaque: rest, query });
    if (ofRequest) refuse('invalid URI for request');
    if (firstSegment(rest).includes(':')) refuse('first path segment in URL cannot contain colon');
  }
  const hasCA = rest.startsWith('//') && (scheme !== '' || (!ofRequest && !rest.startsWith('///')));
  if (!hasCA) return complete({ scheme, ...parsePath(rest), query });
  const slash = rest.indexOf('/', 2);
  const { user, escapedUser, host } = parseAuthority(scheme, rest.slice(2, slash < 0 ? undefined : slash));
  const path = parsePath(slash < 0 ? '' : rest.slice(slash));
  // Go omits the slashes if nothing follows them.
  const at = user === undefined ? '' : `${escapedUser}@`;
  const isWritten = host !== '' || path.path !== '' || user !== undefined;
  return complete({
    scheme,
    user,
    host,
    authority: isWritten ? `//${at}${escape(host, 'host')}` : '',
    ...path,
    query,
  });
}

const firstSegment = (path: string): string => {
  const slash = path.indexOf('/');
  return slash < 0 ? path : path.slice(0, slash);
};

interface UrlParts {
  scheme?: string;
  opaque?: string;
  user?: string | undefined;
  host?: string;
  /** Unescaped, with its slashes. */
  authority?: string;
  path?: string;
  escapedPath?: string;
  /** With the leading question mark. */
  query?: string;
}

function complete(parts: UrlParts): GoUrl {
  const { scheme = '', opaque = '', user, host = '', path = '', escapedPath = '', query = '' } = parts;
  const prefix = scheme === '' ? '' : `${scheme}:`;
  const target =
    opaque === '' ? escapedPath || '/' : opaque.startsWith('//') ? `${scheme}:${opaque}` : opaque;
  return {
    scheme,
    opaque,
    user,
    host,
    path,
    escapedPath,
    rawQuery: query.slice(1),
    requestUri: `${target}${query}`,
    fragment: '',
    text: `${prefix}${opaque}${parts.authority ?? ''}${escapedPath}${query}`,
  };
}

function parseAuthority(scheme: string, authority: string) {
  const at = authority.lastIndexOf('@');
  const host = parseHost(scheme, authority.slice(at + 1));
  if (at < 0) return { user: undefined, escapedUser: '', host };
  const user = authority.slice(0, at);
  if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(user)) refuse('net/url: invalid userinfo');
  const colon = user.indexOf(':');
  const escaped = (colon < 0 ? [user] : [user.slice(0, colon), user.slice(colon + 1)]).map((part) => {
    requireEscapes(part);
    return escape(unescapePercent(part), 'user');
  });
  return { user, escapedUser: escaped.join(':'), host };
}

function parseHost(scheme: string, host: string): string {
  const bracket = host.lastIndexOf('[');
  if (bracket > 0) refuse('invalid IP-literal');
  if (bracket === 0) return parseLiteral(host);
  const strict = scheme === 'http' || scheme === 'https';
  const colon = strict ? host.indexOf(':') : host.lastIndexOf(':');
  if (colon >= 0) checkPort(host.slice(colon));
  return unescapeHost(host, 'host');
}

/** Parses an address in brackets. */
function parseLiteral(host: string): string {
  const end = host.lastIndexOf(']');
  if (end < 0) refuse("missing ']' in host");
  const port = host.slice(end + 1);
  checkPort(port);
  const name = host.slice(1, end);
  const zone = name.indexOf('%25');
  const literal =
    zone < 0
      ? unescapeHost(name, 'host')
      : unescapeHost(name.slice(0, zone), 'host') + unescapeHost(name.slice(zone), 'zone');
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

function requireEscapes(text: string): void {
  const bad = badEscape(text);
  if (bad !== undefined) refuse(`invalid URL escape ${goQuote(bad)}`);
}

/**
 * A host may escape bytes beyond ASCII and the percent sign; a zone also spaces and unreserved characters of
 * a host.
 */
function unescapeHost(text: string, part: 'host' | 'zone'): string {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code >= 0x80) continue;
    if (code !== 0x25) {
      if (!isUnescaped(code, 'host')) {
        refuse(`invalid character ${goQuote(text.charAt(i))} in host name`);
      }
      continue;
    }
    const written = text.slice(i, i + 3);
    if (badEscape(written) !== undefined) requireEscapes(text.slice(i, i + 4));
    if (!mayEscape(written, part)) refuse(`invalid URL escape ${goQuote(written)}`);
    i += 2;
  }
  return unescapePercent(text);
}

function mayEscape(written: string, part: 'host' | 'zone'): boolean {
  const byte = parseInt(written.slice(1), 16);
  if (written === '%25') return true;
  return part === 'host' ? byte >= 0x80 : byte === 0x20 || isUnescaped(byte, 'host');
}

/**
 * The characters that are valid in a path in addition to those that Go does not escape, RFC 3986 appendix A.
 */
const validPath = /^(?:[A-Za-z0-9\-_.~!$&'()*+,;=:@/[\]]|%[0-9A-Fa-f]{2})*$/;

function parsePath(written: string): { path: string; escapedPath: string } {
  requireEscapes(written);
  const path = unescapePercent(written);
  return { path, escapedPath: path === '*' || validPath.test(written) ? written : escape(path, 'path') };
}
