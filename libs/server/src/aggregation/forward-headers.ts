import { Buffer } from 'node:buffer';
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import type { UserInfo } from '@annex/auth';

/** The names under which a proxied request carries its user: kube-apiserver's `--requestheader-*` options. */
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

/** Headers that belong to one connection, RFC 9110 section 7.6.1, with those that Go's ReverseProxy removes too. */
export const hopByHopHeaders: ReadonlySet<string> = new Set([
  'connection',
  'proxy-connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
]);

// Set anew for the backend, or taken by this hop.
const ownHeaders = new Set(['host', 'authorization', 'expect', 'audit-id', 'x-forwarded-for']);

/** True for header names that say who a user is: none that a client sent may reach a backend. */
export function identityHeaderTest(names: IdentityHeaderNames): (lowerName: string) => boolean {
  const all = [names, defaultIdentityHeaders];
  const exact = new Set(
    all.flatMap((n) => [...n.username, ...n.uid, ...n.group]).map((n) => n.toLowerCase()),
  );
  const prefixes = [
    ...new Set(all.flatMap((n) => n.extraPrefix).map((n) => n.toLowerCase())),
    'impersonate-',
  ];
  return (name) => exact.has(name) || prefixes.some((prefix) => name.startsWith(prefix));
}

// Header bytes are latin1 to Node; names of other scripts travel as UTF-8, as Go writes them.
const wire = (value: string): string => Buffer.from(value).toString('latin1');

const isTokenByte = (byte: number): boolean => /[!#$&'*+\-.^_`|~0-9A-Za-z]/.test(String.fromCharCode(byte));

/** The key of an extra as a header name: what is no token is percent-encoded. */
export function escapeExtraKey(key: string): string {
  let out = '';
  for (const byte of Buffer.from(key)) {
    out += isTokenByte(byte) ? String.fromCharCode(byte) : `%${byte.toString(16).padStart(2, '0')}`;
  }
  return out;
}

const written = new WeakMap<IdentityHeaderNames, WeakMap<UserInfo, OutgoingHttpHeaders>>();

/** The headers that tell a backend who the user is. Shared by all requests of a user: never change them. */
export function identityHeaders(user: UserInfo, names: IdentityHeaderNames): OutgoingHttpHeaders {
  let ofNames = written.get(names);
  if (ofNames === undefined) written.set(names, (ofNames = new WeakMap()));
  let headers = ofNames.get(user);
  if (headers === undefined) ofNames.set(user, (headers = writeIdentity(user, names)));
  return headers;
}

function writeIdentity(user: UserInfo, names: IdentityHeaderNames): OutgoingHttpHeaders {
  const headers: OutgoingHttpHeaders = { [names.username[0] ?? 'X-Remote-User']: wire(user.name) };
  if (user.uid) headers[names.uid[0] ?? 'X-Remote-Uid'] = wire(user.uid);
  if (user.groups.length > 0) headers[names.group[0] ?? 'X-Remote-Group'] = user.groups.map(wire);
  const prefix = names.extraPrefix[0] ?? 'X-Remote-Extra-';
  for (const [key, values] of Object.entries(user.extra)) {
    if (values.length > 0) headers[prefix + escapeExtraKey(key)] = values.map(wire);
  }
  return headers;
}

/** The names in a header that lists names, as `Connection` and `TE`. */
export function listedNames(value: string | undefined): ReadonlySet<string> {
  return new Set((value ?? '').split(',').map((token) => token.trim().toLowerCase()));
}

/**
 * The client's headers as a backend may see them: none of this connection, no credentials, no identity. A header that
 * an earlier step removed from `req.headers` is not taken from the raw list either.
 */
export function endToEndHeaders(
  req: IncomingMessage,
  isIdentityHeader: (lowerName: string) => boolean,
): OutgoingHttpHeaders {
  const dropped = listedNames(req.headers.connection);
  const headers = noHeaders();
  const { rawHeaders } = req;
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string;
    const lower = name.toLowerCase();
    if (lower.startsWith(':') || hopByHopHeaders.has(lower) || ownHeaders.has(lower) || dropped.has(lower))
      continue;
    if (!Object.hasOwn(req.headers, lower) || isIdentityHeader(lower)) continue;
    append(headers, lower, rawHeaders[i + 1] as string);
  }
  // Of what a client takes in transfer, trailers are all that comes through.
  const { te } = req.headers;
  if (te !== undefined && listedNames(String(te)).has('trailers')) headers.te = 'trailers';
  return headers;
}

type HeaderMap = Record<string, string | string[]>;

// Without a prototype: a header may be called `constructor`.
const noHeaders = (): HeaderMap => Object.create(null) as HeaderMap;

function append(headers: HeaderMap, name: string, value: string): void {
  const before = headers[name];
  if (before === undefined) headers[name] = value;
  // HTTP/2 clients send cookies one by one, HTTP/1.1 has one line for them (RFC 9113 section 8.2.3).
  else if (name === 'cookie') headers[name] = `${String(before)}; ${value}`;
  else headers[name] = [...(Array.isArray(before) ? before : [before]), value];
}

/** `X-Forwarded-For` with the client's address at its end. */
export function forwardedFor(req: IncomingMessage): string | undefined {
  const prior = req.headers['x-forwarded-for'];
  const address = req.socket.remoteAddress?.replace(/^::ffff:/, '');
  return (
    [...(Array.isArray(prior) ? prior : [prior]), address].filter((part) => part).join(', ') || undefined
  );
}

/** The headers of a backend's answer that go to the client. */
export function answerHeaders(
  rawHeaders: readonly string[],
  connection: string | undefined,
): OutgoingHttpHeaders {
  const dropped = listedNames(connection);
  const headers = noHeaders();
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const lower = (rawHeaders[i] as string).toLowerCase();
    if (hopByHopHeaders.has(lower) || dropped.has(lower) || corsHeaders.has(lower)) continue;
    append(headers, lower, rawHeaders[i + 1] as string);
  }
  return headers;
}

// kube-apiserver decides on cross-origin requests, its backends do not.
const corsHeaders = new Set([
  'access-control-allow-credentials',
  'access-control-allow-headers',
  'access-control-allow-methods',
  'access-control-allow-origin',
]);
