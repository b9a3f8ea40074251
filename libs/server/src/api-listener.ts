import { type Listener, type ListenerOptions, createListener } from '@annex/http';
import { createContext, markStep, type RequestContext } from '@annex/kinds';
import { type Step, composeSteps } from './step.ts';

/** Options of {@link createApiListener}. */
export interface ApiListenerOptions extends Omit<ListenerOptions<RequestContext>, 'createContext' | 'run'> {
  /** The request path. */
  steps: readonly Step[];
}

/** Creates a listener that runs the steps for each request and records them in its trace. */
export function createApiListener({ steps, ...options }: ApiListenerOptions): Listener {
  const run = composeSteps(steps, (step, request: RequestContext, at) => markStep(request.trace, step, at));
  return createListener({ ...options, createContext, run });
}
