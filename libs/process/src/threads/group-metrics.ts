import { type MetricFamily, type Metrics, renderFamilies, sumFamilies } from '@annex/runtime';
import type { ThreadGroup } from './thread-group.ts';

/** Returns the metrics of a thread. They render as those of the whole process: the sum of all threads. */
export function groupMetrics(metrics: Metrics, group: ThreadGroup): Metrics {
  const own = () => metrics.families();
  group.handle('metrics', own);
  const families = async () =>
    sumFamilies([await own(), ...(await group.callOthers<MetricFamily[]>('metrics'))]);
  return { ...metrics, families, render: async () => renderFamilies(await families()) };
}
