/** Handles a request whose identity and authorization are established. Throws StatusError for every refusal. */
export type Handler = (request: RequestContext) => Promise<void> | void;

/** One row of the route table. */
export interface Route {
  readonly name: string;
  /** The paths of the row, as docs/architecture.md shows them. */
  readonly paths: string;
  /** Resource requests name a kind: `/api/v1/pods`. Rows for other requests are not compared with them. */
  readonly requests: 'all' | 'nonResource';
  /**
   * Returns the handler of the request; `undefined` if the row does not match, so that the next row is
   * compared.
   */
  handlerOf(request: RequestContext): Handler | undefined;
}

/**
 * Creates one handler from a route table: the first row that matches a request handles it. The last row
 * matches every request.
 */
export function routeBy(routes: readonly Route[]): Handler {
  const resourceRoutes = routes.filter(({ requests }) => requests === 'all');
  return (request) => {
    for (const route of request.info.isResourceRequest ? resourceRoutes : routes) {
      const handler = route.handlerOf(request);
      if (handler !== undefined) return handler(request);
    }
    throw new Error(`no route matches ${request.path}`);
  };
}
import type { RequestContext } from '@annex/kinds';
