import type { MetricFamily, Sample } from './metric-series.ts';

/** The ends of the names of maxima, times, and states that all threads observe. */
const largest = [
  '_lag_max_seconds',
  '_longest_stall_seconds',
  '_timestamp_seconds',
  '_config_info',
  '_unavailable_apiservice',
];

/** Sums the metrics of the threads of one process. */
export function sumFamilies(threads: readonly (readonly MetricFamily[])[]): MetricFamily[] {
  const sums = new Map<string, { family: MetricFamily; samples: Map<string, Sample> }>();
  for (const { values, ...about } of threads.flat()) {
    const known = sums.get(about.name) ?? { family: { ...about, values: [] }, samples: new Map() };
    sums.set(about.name, known);
    const combine = combination(about.name);
    for (const sample of values) {
      const key = JSON.stringify([sample.metricName, Object.entries(sample.labels).sort()]);
      const sum = known.samples.get(key);
      if (sum === undefined) known.samples.set(key, { ...sample });
      else sum.value = combine(sum.value, sample.value);
    }
  }
  return [...sums.values()].map(({ family, samples }) => ({ ...family, values: [...samples.values()] }));
}

function combination(name: string): (a: number, b: number) => number {
  if (name === 'process_start_time_seconds') return Math.min;
  const isLargest = name.startsWith('process_') || largest.some((end) => name.endsWith(end));
  return isLargest ? Math.max : (a, b) => a + b;
}
