import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { type ClientConfig, credentialHeaders } from '@annex/client';
import { hopByHopHeaders, listedNames } from '@annex/http';

/** Returns a predicate for the headers that belong to one connection: hop-by-hop headers, and those that `Connection` names. */
export function isOfConnection({ connection }: IncomingHttpHeaders): (lowerName: string) => boolean {
  const named = listedNames(connection);
  return (name) => hopByHopHeaders.has(name) || named.has(name);
}

/** What a request is sent with, besides the headers of the client. */
export type ServerIdentity = Pick<
  ClientConfig,
  'token' | 'username' | 'password' | 'impersonate' | 'userAgent'
> & { host: string };

/**
 * Returns the headers for the server: those of the client from end to end, the address of the client, and the credentials of
 * the kubeconfig. As in client-go, credentials and an impersonated user of the client win.
 */
export function outgoingHeaders(request: IncomingMessage, identity: ServerIdentity): OutgoingHttpHeaders {
  const { headers, socket } = request;
  const isDropped = isOfConnection(headers);
  const kept = Object.entries(headers).filter(([name]) => !isDropped(name) && name !== 'expect');
  const received = new Map<string, string | string[] | undefined>(kept);
  const agent = identity.userAgent === undefined ? {} : { 'user-agent': identity.userAgent };
  const own = Object.entries({ ...agent, ...credentialHeaders(identity) }).filter(
    ([name]) => !(name.startsWith('impersonate-') ? received.has('impersonate-user') : received.has(name)),
  );
  const forwarded = [headers['x-forwarded-for'] ?? [], socket.remoteAddress ?? []].flat();
  return {
    ...Object.fromEntries(received),
    ...Object.fromEntries(own),
    ...(forwarded.length > 0 ? { 'x-forwarded-for': forwarded.join(', ') } : {}),
    host: identity.host,
  };
}
