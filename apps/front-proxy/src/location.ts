import { type Endpoint, hostPort } from '@annex/http';
import { type GoUrl, latin1OfText, parseUrl, textOfLatin1, UrlError } from '@annex/machinery';

/** A `Location` that kube-apiserver cannot parse and does not pass on. */
export class BadLocation extends Error {}

/**
 * Returns the `Location` for the client of the proxy. If the location has no host, or that of the backend, the endpoint's host is set. One
 * character for each byte. Throws {@link BadLocation} with the error of Go's net/url.
 */
export function rewriteLocation(location: string, endpoint: Endpoint): string {
  const url = read(textOfLatin1(location));
  const { fragment, host, path, requestUri, text, user } = url;
  const own = hostPort(endpoint);
  if ((host !== '' && host !== own) || !path.startsWith('/')) return latin1OfText(text);
  const credentials = user === undefined ? '' : `${user}@`;
  return latin1OfText(`https://${credentials}${own}${requestUri}${fragment}`);
}

function read(location: string): GoUrl {
  try {
    return parseUrl(location);
  } catch (error) {
    throw error instanceof UrlError ? new BadLocation(error.message) : error;
  }
}
