import type { Metrics } from '@annex/runtime';

/** What an egress dialer counts. The names are kube-apiserver's. */
export interface EgressMetrics {
  started(): void;
  succeeded(seconds: number): void;
  /** `connect`: the proxy server was not reached; `proxy`: it did not open the connection. */
  failed(stage: 'connect' | 'proxy'): void;
}

/** Returns the metrics of one protocol, `grpc` or `http_connect`, over `uds` or `tcp`. */
export function egressMetrics(
  metrics: Metrics,
  labels: { protocol: string; transport: string },
): EgressMetrics {
  const starts = metrics.counter(
    'apiserver_egress_dialer_dial_start_total',
    'Dials through proxy servers that were started.',
    ['protocol', 'transport'],
  );
  const durations = metrics.histogram(
    'apiserver_egress_dialer_dial_duration_seconds',
    'Duration of successful dials through proxy servers in seconds.',
    ['protocol', 'transport'],
    [0.005, 0.025, 0.1, 0.5, 2.5, 12.5],
  );
  const failures = metrics.counter(
    'apiserver_egress_dialer_dial_failure_count',
    'Dials through proxy servers that failed, by the stage of the failure.',
    ['protocol', 'transport', 'stage'],
  );
  return {
    started: () => starts.inc(labels),
    succeeded: (seconds) => durations.observe(labels, seconds),
    failed: (stage) => failures.inc({ ...labels, stage }),
  };
}
