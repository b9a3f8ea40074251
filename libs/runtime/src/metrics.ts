import { setImmediate } from 'node:timers/promises';
import { createRequire } from 'node:module';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type * as prom from 'prom-client';
import { eventLoopStalls } from './watchdog/heartbeat.ts';
import {
  CounterSeries,
  HistogramSeries,
  type MetricFamily,
  type MetricLabels,
  MetricSeries,
  sortedLabels,
} from './metric-series.ts';

/** A number that only increases. */
export interface Counter<L extends string = string> {
  inc(labels?: MetricLabels<L>, by?: number): void;
  /** Returns the series of these label values, for frequent counts: the look-up costs more than counting. */
  with(labels: MetricLabels<L>): { inc(by?: number): void };
}

/** A number that increases and decreases. */
export interface Gauge<L extends string = string> {
  set(labels: MetricLabels<L>, value: number): void;
  inc(labels?: MetricLabels<L>, by?: number): void;
  dec(labels?: MetricLabels<L>, by?: number): void;
  /** Removes the series of all label values. */
  clear(): void;
}

/** A distribution of values; durations are in seconds. */
export interface Histogram<L extends string = string> {
  observe(labels: MetricLabels<L>, value: number): void;
  /** Returns the series of these label values, for frequent observations. */
  with(labels: MetricLabels<L>): { observe(value: number): void };
}

/** The metrics of a process. The same name returns the same metric. */
export interface Metrics {
  counter<L extends string>(name: string, help: string, labels?: readonly L[]): Counter<L>;
  /** With `collect`, the value is computed when the metrics are rendered. */
  gauge<L extends string>(
    name: string,
    help: string,
    labels?: readonly L[],
    collect?: (gauge: Gauge<L>) => void,
  ): Gauge<L>;
  histogram<L extends string>(
    name: string,
    help: string,
    labels?: readonly L[],
    buckets?: readonly number[],
  ): Histogram<L>;
  /** Renders all metrics in Prometheus' text format. */
  render(): Promise<string>;
  /** Resolves to all metrics with their values. */
  families(): Promise<MetricFamily[]>;
  readonly contentType: string;
}

// The package's index also loads default metrics and quantiles, which Annex does not use: 45 ms instead of 5.
function loadProm(): Pick<typeof prom, 'Registry' | 'Gauge'> {
  const require = createRequire(import.meta.url);
  return {
    Registry: require('prom-client/lib/registry.js') as typeof prom.Registry,
    Gauge: require('prom-client/lib/gauge.js') as typeof prom.Gauge,
  };
}

/** In seconds. */
const defaultBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Creates a separate registry with the metrics of the process. */
export function createMetrics(): Metrics {
  const { Registry, Gauge } = loadProm();
  const registry = new Registry();
  const registers = [registry];
  const known = new Map<string, unknown>();
  const once = <T>(name: string, make: () => T): T => {
    const found = (known.get(name) as T | undefined) ?? make();
    known.set(name, found);
    return found;
  };
  const registered = <M extends { name: string }>(metric: M): M => {
    registry.registerMetric(metric as unknown as prom.Metric);
    return metric;
  };
  const metrics: Metrics = {
    contentType: 'text/plain; version=0.0.4; charset=utf-8; escaping=underscores',
    counter: (name, help, labelNames = []) =>
      once(name, () => {
        const about = { name, help, type: 'counter', labelNames } as const;
        const series = registered(new MetricSeries(about, (labels) => new CounterSeries(labels)));
        if (labelNames.length === 0) series.of({});
        return {
          inc: (labels, by = 1) => series.of(labels ?? {}).inc(by),
          with: (labels) => series.of(labels),
        };
      }),
    gauge: (name, help, labels = [], collect) =>
      once(name, () => {
        const inner: prom.Gauge = new Gauge({
          name,
          help,
          labelNames: labels,
          registers,
          ...(collect ? { collect: () => collect(gauge) } : {}),
        });
        const gauge = gaugeOf(inner, labels.length > 1 ? sortedLabels : (single) => single);
        return gauge;
      }),
    histogram: (name, help, labelNames = [], buckets = defaultBuckets) =>
      once(name, () => {
        const about = { name, help, type: 'histogram', labelNames } as const;
        const series = registered(
          new MetricSeries(about, (labels) => new HistogramSeries(name, labels, buckets)),
        );
        return {
          observe: (labels, value) => series.of(labels).observe(value),
          with: (labels) => series.of(labels),
        };
      }),
    render: () => rendered(registry.getMetricsAsArray() as unknown as RenderedMetric[]),
    families: () => registry.getMetricsAsJSON() as Promise<unknown> as Promise<MetricFamily[]>,
  };
  addProcessMetrics(metrics);
  return metrics;
}

/** For how many milliseconds metrics are rendered before other work runs. */
const renderedMs = 5;

async function rendered(metrics: readonly RenderedMetric[]): Promise<string> {
  const { Registry } = loadProm();
  const texts: string[] = [];
  let began = performance.now();
  for (const metric of metrics) {
    let lines = '';
    for (const piece of metric.pieces?.() ?? (await piecesOf(metric))) {
      if (performance.now() - began > renderedMs) {
        await setImmediate();
        began = performance.now();
      }
      const text = await textOf(piece, new Registry());
      lines += lines === '' ? text : withoutHead(text);
    }
    texts.push(lines);
  }
  return `${texts.join('\n\n')}\n`;
}

/** Renders a piece as the only metric of a registry. */
async function textOf(piece: MetricFamily, registry: prom.Registry): Promise<string> {
  registry.registerMetric({ name: piece.name, get: () => Promise.resolve(piece) } as unknown as prom.Metric);
  return await registry.getSingleMetricAsString(piece.name);
}

interface RenderedMetric {
  get(): Promise<MetricFamily>;
  /** Of a metric with series of our own, which are not all read at once. */
  pieces?(): Iterable<MetricFamily>;
}

/** Lines of other metrics that are rendered at once. */
const valuesOfPiece = 1000;

async function piecesOf(metric: RenderedMetric): Promise<MetricFamily[]> {
  const { values, ...about } = await metric.get();
  const pieces = Math.max(1, Math.ceil(values.length / valuesOfPiece));
  return Array.from({ length: pieces }, (_, i) => ({
    ...about,
    values: values.slice(i * valuesOfPiece, (i + 1) * valuesOfPiece),
  }));
}

/** Returns the lines of a metric without those of its help and type, which are the first two; with the line break before them. */
const withoutHead = (text: string): string => text.slice(text.indexOf('\n', text.indexOf('\n') + 1));

/** Renders metrics with the given values in Prometheus' text format. */
export const renderFamilies = (families: readonly MetricFamily[]): Promise<string> =>
  rendered(families.map((family) => ({ get: () => Promise.resolve(family) })));

const gaugeOf = (gauge: prom.Gauge, ordered: typeof sortedLabels): Gauge => ({
  set: (values, value) => gauge.set(ordered(values) as prom.LabelValues<string>, value),
  inc: (values = {}, by = 1) => gauge.inc(ordered(values) as prom.LabelValues<string>, by),
  dec: (values = {}, by = 1) => gauge.dec(ordered(values) as prom.LabelValues<string>, by),
  clear: () => gauge.reset(),
});

function addProcessMetrics(metrics: Metrics): void {
  const startTime = Date.now() / 1000 - process.uptime();
  const rows: [name: string, help: string, read: () => number][] = [
    ['process_resident_memory_bytes', 'Resident memory in bytes.', () => process.memoryUsage.rss()],
    ['process_start_time_seconds', 'Start of the process in seconds since 1970.', () => startTime],
    ['process_cpu_seconds_total', 'User and system CPU time in seconds.', cpuSeconds],
    ['nodejs_heap_used_bytes', 'Used heap in bytes.', () => process.memoryUsage().heapUsed],
    [
      'nodejs_eventloop_lag_max_seconds',
      'Longest time that the event loop was blocked since the last scrape.',
      maxLagSeconds(),
    ],
    [
      'annex_event_loop_stalls_total',
      'Number of times that the event loop was blocked for 100 ms or longer.',
      () => eventLoopStalls().count,
    ],
    [
      'annex_event_loop_longest_stall_seconds',
      'The longest of these stalls since the start of the process.',
      () => eventLoopStalls().longestSeconds,
    ],
  ];
  for (const [name, help, read] of rows) metrics.gauge(name, help, [], (gauge) => gauge.set({}, read()));
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** Measuring wakes the process 50 times per second, so it starts with the first scrape. */
function maxLagSeconds(): () => number {
  let lag: ReturnType<typeof monitorEventLoopDelay> | undefined;
  return () => {
    lag ??= monitorEventLoopDelay({ resolution: 20 });
    lag.enable();
    const seconds = lag.max / 1e9;
    lag.reset();
    return seconds;
  };
}
