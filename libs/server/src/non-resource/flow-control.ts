import { type FlowControl, dumpPriorityLevels, dumpQueues, dumpRequests } from '@annex/flow-control';
import type { RequestContext } from '@annex/kinds';
import type { Clock } from '@annex/runtime';
import { sendBody } from '../respond.ts';
import type { Handler } from '../route.ts';

/** Dependencies of the debugging paths of flow control. */
export interface FlowControlPathsOptions {
  flows: FlowControl;
  clock: Pick<Clock, 'now' | 'monotonic'>;
}

const folder = '/debug/api_priority_and_fairness/';

type Dump = (options: FlowControlPathsOptions, request: RequestContext) => string;

const dumps: ReadonlyMap<string, Dump> = new Map<string, Dump>([
  ['dump_priority_levels', ({ flows }) => dumpPriorityLevels(flows.levels)],
  ['dump_queues', ({ flows }) => dumpQueues(flows.levels)],
  [
    'dump_requests',
    ({ flows, clock }, { query }) =>
      dumpRequests(flows.levels, (query.get('includeRequestDetails') ?? '') !== '', {
        wall: clock.now(),
        monotonic: clock.monotonic(),
      }),
  ],
]);

/** Returns the handler of the paths that show priority levels, queues and requests as tables. */
export function flowControlHandler(
  { path }: RequestContext,
  options: FlowControlPathsOptions,
): Handler | undefined {
  const dump = path.startsWith(folder) ? dumps.get(path.slice(folder.length)) : undefined;
  return dump && ((request) => sendBody(request, 200, 'text/plain; charset=utf-8', dump(options, request)));
}
