import { expect, test } from 'vitest';
import { createMetrics, renderFamilies } from './metrics.ts';
import { sumFamilies } from './metric-families.ts';

test('metrics of threads are summed; facts of the process and maxima are not', async () => {
  const threads = [1, 2].map((thread) => {
    const metrics = createMetrics();
    metrics.counter('requests_total', 'Requests.', ['code']).inc({ code: 200 }, thread);
    metrics.counter('only_total', 'In one thread.', ['thread']).inc({ thread }, 5);
    metrics.histogram('seconds', 'Durations.', [], [1, 2]).observe({}, thread);
    metrics.gauge('open', 'Open.').set({}, 10 * thread);
    metrics.gauge('reload_timestamp_seconds', 'Reload.').set({}, 100 * thread);
    return metrics;
  });
  const text = await renderFamilies(sumFamilies(await Promise.all(threads.map((one) => one.families()))));
  for (const line of [
    'requests_total{code="200"} 3',
    'only_total{thread="1"} 5',
    'only_total{thread="2"} 5',
    'seconds_bucket{le="1"} 1',
    'seconds_bucket{le="2"} 2',
    'seconds_sum 3',
    'seconds_count 2',
    'open 30',
    'reload_timestamp_seconds 200',
  ])
    expect(text.split('\n')).toContain(line);
  const [process] = text.split('\n').filter((line) => line.startsWith('process_start_time_seconds '));
  expect(Number(process?.split(' ')[1])).toBeLessThan(Date.now() / 1000);
});
