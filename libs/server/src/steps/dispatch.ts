import { type Route, routeBy } from '../route.ts';
import type { Step } from '../step.ts';

/** Hands the request to the first route that is for it. The last step. */
export const dispatch = (routes: readonly Route[]): Step => ({
  name: 'dispatch',
  run: routeBy(routes),
});
