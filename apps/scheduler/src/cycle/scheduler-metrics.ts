import type { Metrics } from '@annex/runtime';
import type { QueueMetrics } from '../queue/scheduling-queue.ts';

/** What the metrics read when they are rendered. */
export interface MetricsSource {
  queueSizes(): { active: number; backoff: number; unschedulable: number; gated: number };
  cacheSizes(): { nodes: number; pods: number; assumedPods: number };
  bindings(): number;
}

type Result = 'scheduled' | 'unschedulable' | 'error';

/** What the scheduler reports. Times are in seconds. */
export interface SchedulerMetrics {
  queue: QueueMetrics;
  attempted(profile: string, result: Result, seconds: number): void;
  point(profile: string, point: string, status: string, seconds: number): void;
  /** A decision with what makes room for refused Pods. */
  decided(seconds: number): void;
  evaluated(profile: string, point: string, plugin: string): void;
  preempted(): void;
  victims(count: number): void;
  bound(attempts: number, seconds: number): void;
}

const exponential = (start: number, factor: number, count: number): number[] =>
  Array.from({ length: count }, (_, i) => start * factor ** i);

/** Registers the metrics of kube-scheduler. */
export function createSchedulerMetrics(metrics: Metrics, source: MetricsSource): SchedulerMetrics {
  const points = metrics.histogram(
    'scheduler_framework_extension_point_duration_seconds',
    'Time of all plugins of an extension point.',
    ['extension_point', 'profile', 'status'],
    exponential(0.0001, 2, 12),
  );
  const evaluations = metrics.counter('scheduler_plugin_evaluation_total', 'Evaluations by a plugin.', [
    'extension_point',
    'plugin',
    'profile',
  ]);
  const incoming = metrics.counter('scheduler_queue_incoming_pods_total', 'Pods that entered a queue.', [
    'event',
    'queue',
  ]);
  const refused = metrics.gauge('scheduler_unschedulable_pods', 'Pods that a plugin refused.', [
    'plugin',
    'profile',
  ]);
  const decisions = attemptMetrics(metrics);
  const pods = podMetrics(metrics);
  registerSizes(metrics, source);
  const counts = new Map<string, number>();
  return {
    queue: {
      incoming: (queue, event) => incoming.inc({ event, queue }),
      refusedBy(plugin, profile, change) {
        const key = `${profile}/${plugin}`;
        const count = Math.max(0, (counts.get(key) ?? 0) + change);
        counts.set(key, count);
        refused.set({ plugin, profile }, count);
      },
    },
    point: (profile, point, status, seconds) =>
      points.observe({ profile, extension_point: point, status }, seconds),
    evaluated: (profile, point, plugin) => evaluations.inc({ profile, extension_point: point, plugin }),
    ...decisions,
    ...pods,
  };
}

/** Registers the metrics of attempts and decisions. */
function attemptMetrics(metrics: Metrics): Pick<SchedulerMetrics, 'attempted' | 'decided'> {
  const attempts = metrics.counter(
    'scheduler_schedule_attempts_total',
    'Attempts to schedule pods, by the result.',
    ['profile', 'result'],
  );
  const durations = metrics.histogram(
    'scheduler_scheduling_attempt_duration_seconds',
    'Time of an attempt: the decision and the binding.',
    ['profile', 'result'],
    exponential(0.001, 2, 15),
  );
  const algorithm = metrics.histogram(
    'scheduler_scheduling_algorithm_duration_seconds',
    'Time of a decision.',
    [],
    exponential(0.001, 2, 15),
  );
  return {
    attempted(profile, result, seconds) {
      attempts.inc({ profile, result });
      durations.observe({ profile, result }, seconds);
    },
    decided: (seconds) => algorithm.observe({}, seconds),
  };
}

/** Registers the metrics of Pods that were scheduled, or made room. */
function podMetrics(metrics: Metrics): Pick<SchedulerMetrics, 'preempted' | 'victims' | 'bound'> {
  const preemptions = metrics.counter('scheduler_preemption_attempts_total', 'Attempts to preempt pods.');
  const victims = metrics.histogram(
    'scheduler_preemption_victims',
    'Victims of a preemption.',
    [],
    exponential(1, 2, 7),
  );
  const podAttempts = metrics.histogram(
    'scheduler_pod_scheduling_attempts',
    'Attempts until a pod was scheduled.',
    [],
    exponential(1, 2, 5),
  );
  const sli = metrics.histogram(
    'scheduler_pod_scheduling_sli_duration_seconds',
    'Time from the first entry into the queue until a pod is scheduled.',
    ['attempts'],
    exponential(0.01, 2, 20),
  );
  return {
    preempted: () => preemptions.inc(),
    victims: (count) => victims.observe({}, count),
    bound(count, seconds) {
      podAttempts.observe({}, count);
      sli.observe({ attempts: count >= 15 ? '15+' : String(count) }, seconds);
    },
  };
}

function registerSizes(metrics: Metrics, source: MetricsSource): void {
  metrics.gauge('scheduler_pending_pods', 'Pods that wait, by queue.', ['queue'], (gauge) => {
    for (const [queue, size] of Object.entries(source.queueSizes())) gauge.set({ queue }, size);
  });
  metrics.gauge('scheduler_cache_size', 'Objects in the cache.', ['type'], (gauge) => {
    const { nodes, pods, assumedPods } = source.cacheSizes();
    gauge.set({ type: 'nodes' }, nodes);
    gauge.set({ type: 'pods' }, pods);
    gauge.set({ type: 'assumed_pods' }, assumedPods);
  });
  metrics.gauge('scheduler_goroutines', 'Concurrent work.', ['operation'], (gauge) =>
    gauge.set({ operation: 'binding' }, source.bindings()),
  );
}
