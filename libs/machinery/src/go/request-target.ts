import { textOfLatin1 } from './bytes.ts';
import { parseQuery, Query } from './query.ts';
import { parseRequestUrl } from './url.ts';

/** The target of a request line (RFC 9112 section 3.2), parsed like Go's net/http server. */
export interface RequestTarget {
  /** Decoded; empty if the target has none, `*` for the whole server. */
  readonly path: string;
  readonly query: Query;
  /** Path and query as sent, without scheme and host: Go's `URL.RequestURI`. */
  readonly uri: string;
}

/** A path without escapes, and a query without bytes beyond ASCII: the common case. */
const plainTarget = /^\/[-A-Za-z0-9_.~$&+,/:;=@]*(?:\?[!-~]*)?$/;

/**
 * Parses a request target in Node's latin1 representation. Throws `UrlError` if Go's server responds with
 * 400.
 */
export function parseRequestTarget(method: string, target: string): RequestTarget {
  if (plainTarget.test(target)) {
    const question = target.indexOf('?');
    return question < 0
      ? { path: target, query: Query.none, uri: target }
      : { path: target.slice(0, question), query: parseQuery(target.slice(question + 1)), uri: target };
  }
  const text = textOfLatin1(target);
  // The target of CONNECT has the authority form.
  const isAuthority = method === 'CONNECT' && !text.startsWith('/');
  const { path, rawQuery, requestUri } = parseRequestUrl(isAuthority ? `http://${text}` : text);
  return { path, query: parseQuery(rawQuery), uri: requestUri };
}
