import { unsupportedMediaType } from '@annex/machinery';
import type { RequestContext } from '@annex/kinds';

/**
 * Returns the media type of a body without its parameters, in lower case; empty if it is absent or its
 * parameters are invalid.
 */
export function mediaType(request: RequestContext): string {
  const sent = request.req.headers['content-type'] ?? '';
  if (sent === 'application/json') return sent;
  const [type = '', ...parameters] = sent.split(';');
  const isBad = parameters.some((text) => text.trim() !== '' && !/^\s*[^\s=]+=./.test(text));
  return isBad ? '*' : type.trim().toLowerCase();
}

/**
 * Returns the media type of a patch. kube-apiserver compares it case-sensitively and ignores its parameters.
 */
export const patchMediaType = (request: RequestContext): string =>
  (request.req.headers['content-type'] ?? '').split(';')[0] ?? '';

/** kube-apiserver's 415 for the body of an unsupported media type. */
export const unknownFormat = (accepted: readonly string[]) =>
  unsupportedMediaType(
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  );
