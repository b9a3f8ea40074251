import type { Backend } from '../app.ts';
import type { Step } from '../step.ts';

/** Hands the request to the app that owns its path. The last step. */
export const dispatch = (backend: Backend): Step => ({
  name: 'dispatch',
  run: (ctx) => backend.handle(ctx),
});
