import { failure } from '@annex/machinery';
import type { RequestContext } from '@annex/kinds';
import { requireRoute } from './encoding/negotiation.ts';

/** kube's answer to a method that a path of its own does not have. */
export const methodNotRouted = () =>
  failure('MethodNotAllowed', 'the server does not allow this method on the requested resource', {});

/** Throws where kube's router has no route for a request to a document that it only shows: 405, then 406. */
export function requireGetRoute({ req }: RequestContext, types: readonly string[]): void {
  if (req.method !== 'GET') throw methodNotRouted();
  requireRoute(req.headers.accept, types);
}
