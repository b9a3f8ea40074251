/** Handles a request whose identity and authorization are established. Throws StatusError for every refusal. */
export type Handler = (request: RequestContext) => Promise<void> | void;

/** One row of the route table. */
export interface Route {
  readonly name: string;
  /** The paths that the row is for, as docs/architecture.md shows them. */
  readonly paths: string;
  /** Resource requests name a kind: `/api/v1/pods`. Rows for other requests are not compared with them. */
  readonly requests: 'all' | 'nonResource';
  /** Returns the handler of the request; `undefined` where the row is not for it, so that the next row is compared. */
  handlerOf(request: RequestContext): Handler | undefined;
}

/** Makes one handler of a route table: the first row that is for a request handles it. The last row takes every request. */
export function routeBy(routes: readonly Route[]): Handler {
  const resourceRoutes = routes.filter(({ requests }) => requests === 'all');
  return (request) => {
    for (const route of request.info.isResourceRequest ? resourceRoutes : routes) {
      const handler = route.handlerOf(request);
      if (handler !== undefined) return handler(request);
    }
    throw new Error(`no route takes ${request.path}`);
  };
}
import type { RequestContext } from '@annex/kinds';
