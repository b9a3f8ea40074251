import { failure } from '@annex/machinery';
import type { RequestContext } from '@annex/kinds';
import { requireRoute } from './encoding/negotiation.ts';

/** kube-apiserver's 405 for a method without a route. */
export const methodNotRouted = () =>
  failure('MethodNotAllowed', 'the server does not allow this method on the requested resource', {});

/** Throws the error of kube-apiserver's router for a request to a read-only document: 405, then 406. */
export function requireGetRoute({ req }: RequestContext, types: readonly string[]): void {
  if (req.method !== 'GET') throw methodNotRouted();
  requireRoute(req.headers.accept, types);
}
