import { type FollowTraces, type TracesOfThreads, type TraceView } from '@annex/server';
import type { ThreadGroup } from './thread-group.ts';

/** Traces that wait to be sent to the followers in other threads; more are dropped, as for slow clients. */
export const maxWaitingTraces = 1_000;

/** Serves the traces of a thread to the others, and reads theirs. */
export function groupTraces(group: ThreadGroup): TracesOfThreads {
  const listeners = new Set<(trace: TraceView) => void>();
  let followers = 0;
  let stop: () => void = () => undefined;
  let follow: FollowTraces = () => () => undefined;
  group.handle('trace', (traces: TraceView[]) => {
    for (const trace of traces) for (const listener of listeners) listener(trace);
  });
  group.handle('followTraces', (by: number) => {
    const before = followers;
    followers += by;
    if (before === 0 && followers > 0) stop = follow(sender(group));
    if (followers === 0) stop();
  });
  return {
    list: async (query) => (await group.callOthers<TraceView[]>('traces', query)).flat(),
    follow(listener) {
      listeners.add(listener);
      void group.callOthers('followTraces', 1);
      return () => {
        if (listeners.delete(listener)) void group.callOthers('followTraces', -1);
      };
    },
    serve(list, followOwn) {
      group.handle('traces', list);
      follow = followOwn;
    },
  };
}

/** Sends traces to all other threads, one message at a time. */
function sender(group: ThreadGroup): (trace: TraceView) => void {
  const waiting: TraceView[] = [];
  let isSending = false;
  const send = async () => {
    isSending = true;
    while (waiting.length > 0) await group.callOthers('trace', waiting.splice(0));
    isSending = false;
  };
  return (trace) => {
    if (waiting.length >= maxWaitingTraces) return;
    waiting.push(trace);
    if (!isSending) void send();
  };
}
