import type { Metrics } from '@annex/runtime';
import type { Store } from '@annex/storage';

const measuredOperations = [
  'currentRevision',
  'get',
  'list',
  'create',
  'createAll',
  'update',
  'delete',
  'compact',
] as const;

const buckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * Wraps a store and measures its operations, including failed ones. The metric has kube-apiserver's name for
 * every kind of store.
 */
export function measuredStore(store: Store, metrics: Metrics): Store {
  const duration = metrics.histogram(
    'etcd_request_duration_seconds',
    'Duration of store operations in seconds.',
    ['operation'],
    buckets,
  );
  const measured: Record<string, unknown> = {};
  for (const operation of measuredOperations) {
    const labels = { operation };
    const run = store[operation]?.bind(store) as ((...args: unknown[]) => Promise<unknown>) | undefined;
    if (run === undefined) continue;
    measured[operation] = async (...args: unknown[]) => {
      const start = performance.now();
      try {
        return await run(...args);
      } finally {
        duration.observe(labels, (performance.now() - start) / 1000);
      }
    };
  }
  return {
    ...(measured as unknown as Store),
    capabilities: store.capabilities,
    get revision() {
      return store.revision;
    },
    get compacted() {
      return store.compacted;
    },
    watch: (prefix, options) => store.watch(prefix, options),
    close: () => store.close(),
  };
}
