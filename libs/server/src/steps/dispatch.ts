import { type Route, routeBy } from '../route.ts';
import type { Step } from '../step.ts';

/** Passes the request to the first matching route. The last step. */
export const dispatch = (routes: readonly Route[]): Step => ({
  name: 'dispatch',
  run: routeBy(routes),
});
