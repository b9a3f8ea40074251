import { tableOf } from '@annex/machinery';
import type { DecisionTrace } from '@annex/kinds';

/** Milliseconds up to which a request is not slow. */
const slowMs = 500;

const prefix = 'apiserver.latency.k8s.io/';

const layerOfStep = tableOf({
  authenticate: 'authentication',
  authorize: 'authorization',
  store: 'etcd',
});

const layerOfCall = tableOf({
  admit: 'mutating-webhook',
  validating: 'validating-webhook',
});

/** Returns the latencies of the layers as annotations of an audit event; none if the request was quick. */
export function latencyAnnotations(
  {
    admission = [],
    startedAt,
    steps,
    times,
  }: Pick<DecisionTrace, 'admission' | 'startedAt' | 'steps' | 'times'>,
  now: number = performance.now(),
): Record<string, string> {
  if (now - startedAt <= slowMs) return {};
  const spent = new Map<string, number>();
  const add = (layer: string | undefined, ms: number) => {
    if (layer !== undefined) spent.set(layer, (spent.get(layer) ?? 0) + ms);
  };
  for (const [i, step] of steps.entries()) {
    add(layerOfStep.get(step), (times[i + 1] ?? now) - (times[i] as number));
  }
  for (const { plugin, ms = 0 } of admission) add(layerOfCall.get(plugin), ms);
  spent.set('total', now - startedAt);
  return Object.fromEntries([...spent].map(([layer, ms]) => [prefix + layer, goDuration(ms)]));
}

/** Formats a duration as Go does, rounded to microseconds: `1.5s`, `250.123ms`, `7µs`. */
function goDuration(ms: number): string {
  if (ms < 1) return `${Math.round(ms * 1000)}µs`;
  if (ms < 1000) return `${Math.round(ms * 1000) / 1000}ms`;
  const seconds = Math.round(ms * 1000) / 1_000_000;
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  return `${minutes}m${Math.round((seconds - minutes * 60) * 1_000_000) / 1_000_000}s`;
}
