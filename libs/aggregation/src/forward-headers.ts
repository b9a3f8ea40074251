import { Buffer } from 'node:buffer';
import { type HeaderList, type HttpRequest, headerNameTest, hopByHopHeaders, listedNames } from '@annex/http';
import type { UserInfo } from '@annex/auth';

/**
 * The names of the headers with the user of a proxied request: kube-apiserver's `--requestheader-*` options.
 */
export interface IdentityHeaderNames {
  username: readonly string[];
  uid: readonly string[];
  group: readonly string[];
  extraPrefix: readonly string[];
}

/** kube-apiserver's defaults. */
export const defaultIdentityHeaders: IdentityHeaderNames = {
  username: ['X-Remote-User'],
  uid: ['X-Remote-Uid'],
  group: ['X-Remote-Group'],
  extraPrefix: ['X-Remote-Extra-'],
};

// Headers that are replaced for the backend, or consumed here.
const ownHeaders = new Set([
  'http2-settings',
  'host',
  'authorization',
  'expect',
  'audit-id',
  'x-forwarded-for',
]);

/** Returns a predicate for identity headers, which are never forwarded from a client. */
export function identityHeaderTest(names: IdentityHeaderNames): (lowerName: string) => boolean {
  const all = [names, defaultIdentityHeaders];
  const exact = all.flatMap((n) => [...n.username, ...n.uid, ...n.group]);
  const prefixes = [...all.flatMap((n) => n.extraPrefix), 'impersonate-'];
  const expression = headerNameTest(exact, prefixes);
  return (name) => expression.test(name);
}

// Node writes header bytes as latin1; names in other scripts are sent as UTF-8, as in Go.
const latin1 = (value: string): string => Buffer.from(value).toString('latin1');

const isTokenByte = (byte: number): boolean => /[!#$&'*+\-.^_`|~0-9A-Za-z]/.test(String.fromCharCode(byte));

/** Percent-encodes the key of an extra for a header name. */
export function escapeExtraKey(key: string): string {
  let out = '';
  for (const byte of Buffer.from(key)) {
    out += isTokenByte(byte) ? String.fromCharCode(byte) : `%${byte.toString(16).padStart(2, '0')}`;
  }
  return out;
}

const written = new WeakMap<IdentityHeaderNames, WeakMap<UserInfo, HeaderList>>();

/** Returns the identity headers of a user. The same list is shared by all requests of the user. */
export function identityHeaders(user: UserInfo, names: IdentityHeaderNames): HeaderList {
  let ofNames = written.get(names);
  if (ofNames === undefined) written.set(names, (ofNames = new WeakMap()));
  let headers = ofNames.get(user);
  if (headers === undefined) ofNames.set(user, (headers = writeIdentity(user, names)));
  return headers;
}

function writeIdentity(user: UserInfo, names: IdentityHeaderNames): HeaderList {
  const headers = [names.username[0] ?? 'X-Remote-User', latin1(user.name)];
  const add = (name: string, values: readonly string[]) => {
    for (const value of values) headers.push(name, latin1(value));
  };
  if (user.uid) add(names.uid[0] ?? 'X-Remote-Uid', [user.uid]);
  add(names.group[0] ?? 'X-Remote-Group', user.groups);
  const prefix = names.extraPrefix[0] ?? 'X-Remote-Extra-';
  for (const [key, values] of Object.entries(user.extra)) add(prefix + escapeExtraKey(key), values);
  return headers;
}

/**
 * Returns the client's headers for a backend: without hop-by-hop headers, credentials, and replaced headers.
 * Headers that an earlier step removed from `req.headers` are also removed from the raw list.
 */
export function endToEndHeaders(req: HttpRequest, isReplaced: (lowerName: string) => boolean): string[] {
  const { headers, rawHeaders } = req;
  const dropped = listedNames(headers.connection);
  const list: string[] = [];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const lower = (rawHeaders[i] as string).toLowerCase();
    if (lower.startsWith(':') || hopByHopHeaders.has(lower) || ownHeaders.has(lower) || dropped.has(lower))
      continue;
    if (!Object.hasOwn(headers, lower) || isReplaced(lower)) continue;
    // HTTP/2 clients may split cookies; HTTP/1.1 has one header line for them (RFC 9113 section 8.2.3).
    const joins = lower === 'cookie' && req.httpVersionMajor === 2;
    if (joins && list.includes(lower)) continue;
    const value = joins ? String(headers.cookie) : (rawHeaders[i + 1] as string);
    if (value !== '' || lower !== 'user-agent') list.push(lower, value);
  }
  // Go's server adds this header over HTTP/1.1, for old caches.
  if (headers.pragma === 'no-cache' && headers['cache-control'] === undefined && req.httpVersionMajor === 1)
    list.push('cache-control', 'no-cache');
  // The only transfer coding of a client that is forwarded is trailers.
  const { te } = headers;
  if (te !== undefined && listedNames(String(te)).has('trailers')) list.push('te', 'trailers');
  return list;
}

/** Returns `X-Forwarded-For` with the client's address appended. */
export function forwardedFor(req: HttpRequest): string | undefined {
  const prior = req.headers['x-forwarded-for'];
  const address = req.socket?.remoteAddress?.replace(/^::ffff:/, '');
  if (prior === undefined) return address;
  return [...[prior].flat(), address ?? []].flat().join(', ');
}

/**
 * Returns a predicate for headers of a backend's response that are not forwarded, by lower-case name:
 * hop-by-hop headers, and those that kube-apiserver sets.
 */
export function isNotForwarded(connection: string | undefined): (lowerName: string) => boolean {
  if (connection === undefined) return isOwn;
  const listed = listedNames(connection);
  // As Go's transport: the names in a Connection header with `close` are ignored.
  if (listed.has('close')) return isOwn;
  return (name) => isOwn(name) || (listed.has(name) && name !== 'content-length');
}

// kube-apiserver decides on cross-origin requests, instead of its backends.
const corsHeaders = new Set([
  'access-control-allow-credentials',
  'access-control-allow-headers',
  'access-control-allow-methods',
  'access-control-allow-origin',
]);

const isOwn = (name: string): boolean => hopByHopHeaders.has(name) || corsHeaders.has(name);
