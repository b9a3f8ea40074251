import { parseRequestUrl, UrlError } from '@annex/machinery';
import { cleanPath } from '@annex/runtime';

/** The paths under which the API and static files are served. Each ends with a slash. */
export interface Prefixes {
  api: string;
  /** Undefined without static files. */
  files: string | undefined;
}

/** What is done with a request. The host is that of a target that is a URL; it is empty for a path. */
export type Route =
  | { kind: 'forward'; path: string; target: string; host: string }
  | { kind: 'file'; path: string }
  | { kind: 'redirect'; location: string }
  | { kind: 'notFound' }
  | { kind: 'invalid' };

/**
 * Returns the route of a request target, by the rules of Go's ServeMux: the longest prefix wins, and a path that is not clean is
 * redirected. Segments that are dots once they are decoded are invalid: what a filter has read must be what the server reads.
 */
export function routeOf(requestTarget: string, prefixes: Prefixes): Route {
  const url = readTarget(requestTarget);
  if (url === undefined || url.escapedPath === '*') return { kind: 'invalid' };
  const { escapedPath, host, rawQuery } = url;
  const query = requestTarget.includes('?') ? `?${rawQuery}` : '';
  const clean = cleanPath(escapedPath);
  const prefix = longestPrefix(clean, prefixes);
  if ([prefixes.api, prefixes.files].includes(`${clean}/`))
    return { kind: 'redirect', location: `${clean}/${query}` };
  if (clean !== escapedPath) return { kind: 'redirect', location: clean + query };
  if (prefix === undefined) return { kind: 'notFound' };
  if (url.path.split('/').some((segment) => segment === '.' || segment === '..')) return { kind: 'invalid' };
  // The slash at the end of the prefix stays.
  const rest = (path: string): string => path.slice(prefix.length - 1);
  if (prefix === prefixes.files) return { kind: 'file', path: rest(escapedPath) };
  if (prefix.startsWith('/api'))
    return { kind: 'forward', host, path: url.path, target: escapedPath + query };
  return { kind: 'forward', host, path: rest(url.path), target: rest(escapedPath) + query };
}

function readTarget(text: string) {
  try {
    return parseRequestUrl(text);
  } catch (error) {
    if (error instanceof UrlError) return undefined;
    throw error;
  }
}

const longestPrefix = (path: string, { api, files }: Prefixes): string | undefined =>
  [api, files ?? '']
    .filter((prefix) => prefix !== '' && path.startsWith(prefix))
    .toSorted((a, b) => b.length - a.length)[0];
