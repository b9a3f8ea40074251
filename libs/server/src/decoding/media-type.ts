import { unsupportedMediaType } from '@annex/machinery';
import type { RequestContext } from '@annex/kinds';

/** The media type of a body without its parameters, lower case; empty where none was sent. Bad parameters spoil it. */
export function mediaType(request: RequestContext): string {
  const sent = request.req.headers['content-type'] ?? '';
  if (sent === 'application/json') return sent;
  const [type = '', ...parameters] = sent.split(';');
  const isBad = parameters.some((text) => text.trim() !== '' && !/^\s*[^\s=]+=./.test(text));
  return isBad ? '*' : type.trim().toLowerCase();
}

/** The media type of a patch, which kube compares letter by letter; its parameters mean nothing. */
export const patchMediaType = (request: RequestContext): string =>
  (request.req.headers['content-type'] ?? '').split(';')[0] ?? '';

/** kube's refusal of a body in a form it does not read. */
export const unknownFormat = (accepted: readonly string[]) =>
  unsupportedMediaType(
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  );
