import { textOfLatin1 } from './bytes.ts';
import { parseQuery, Query } from './query.ts';
import { parseRequestUrl } from './url.ts';

/** What a request line names (RFC 9112 section 3.2), read as Go's net/http server reads it. */
export interface RequestTarget {
  /** Decoded; empty where the target has none, `*` for all of the server. */
  readonly path: string;
  readonly query: Query;
  /** Path and query as they were sent, without scheme and host: Go's `URL.RequestURI`. */
  readonly uri: string;
}

/** A path that means itself, and a query without bytes beyond ASCII: what most clients send. */
const plainTarget = /^\/[-A-Za-z0-9_.~$&+,/:;=@]*(?:\?[!-~]*)?$/;

/** Reads a request target as Node shows it, one character for each byte. Throws `UrlError` for what Go's server answers with 400. */
export function parseRequestTarget(method: string, target: string): RequestTarget {
  if (plainTarget.test(target)) {
    const question = target.indexOf('?');
    return question < 0
      ? { path: target, query: Query.none, uri: target }
      : { path: target.slice(0, question), query: parseQuery(target.slice(question + 1)), uri: target };
  }
  const text = textOfLatin1(target);
  // The target of CONNECT is an authority.
  const isAuthority = method === 'CONNECT' && !text.startsWith('/');
  const { path, rawQuery, requestUri } = parseRequestUrl(isAuthority ? `http://${text}` : text);
  return { path, query: parseQuery(rawQuery), uri: requestUri };
}
