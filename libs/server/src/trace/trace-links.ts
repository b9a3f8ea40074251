import type { AttributesView, TraceView } from './trace-view.ts';

const fields = [
  'user',
  'verb',
  'group',
  'resource',
  'subresource',
  'namespace',
  'name',
  'path',
] as const satisfies readonly (keyof AttributesView)[];

/**
 * Whether a review asks about just what a request asked for. An extension API server does not say which request its
 * question is about: what it asks about and the time tell.
 */
export function isAbout({ review }: TraceView, { authorization }: TraceView): boolean {
  if (review === undefined || authorization === undefined) return false;
  return fields.every((field) => review.requested[field] === authorization.requested[field]);
}
