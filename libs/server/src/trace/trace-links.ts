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
 * Returns whether a review has the attributes of a request. An extension API server does not name the request
 * that its review belongs to: attributes and time identify it.
 */
export function isReviewOf({ review }: TraceView, { authorization }: TraceView): boolean {
  if (review === undefined || authorization === undefined) return false;
  return fields.every((field) => review.requested[field] === authorization.requested[field]);
}
