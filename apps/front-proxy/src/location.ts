import { type Endpoint, hostPort } from '@annex/server';
import { goQuote } from '@annex/machinery';

/** A `Location` that kube-apiserver cannot read, and so does not pass on. */
export class BadLocation extends Error {}

// RFC 3986 appendix B.
const parts = /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)((?:\?[^#]*)?)((?:#.*)?)$/s;

/**
 * A `Location` as the client of the proxy gets it: one that has no host, or the backend's own, is completed by that of the
 * backend. Throws {@link BadLocation} in the words of Go's net/url.
 */
export function rewriteLocation(location: string, endpoint: Endpoint): string {
  const refuse = (why: string) => new BadLocation(`parse ${goQuote(location)}: ${why}`);
  if (location.startsWith(':')) throw refuse('missing protocol scheme');
  const [, scheme, host, path = '', query = '', fragment = ''] = parts.exec(location) ?? [];
  const port = /:([^:\]]*)$/.exec(host ?? '')?.[1];
  if (port !== undefined && !/^\d*$/.test(port)) throw refuse(`invalid port ":${port}" after host`);
  if (scheme === undefined && host === undefined && /^[^/]*:/.test(path))
    throw refuse('first path segment in URL cannot contain colon');
  const escape = /%(?![0-9A-Fa-f]{2}).{0,2}/s.exec(path)?.[0];
  if (escape !== undefined) throw refuse(`invalid URL escape ${goQuote(escape)}`);
  const at = hostPort(endpoint);
  if ((host && host !== at) || !path.startsWith('/')) return location;
  return `https://${at}${escapeRest(path)}${query}${fragment}`;
}

/** Escapes what no path may hold as it is, byte by byte. */
const escapeRest = (path: string): string =>
  path.replace(
    /[^A-Za-z0-9\-_.~$&+,/:;=@%!'()*[\]]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
