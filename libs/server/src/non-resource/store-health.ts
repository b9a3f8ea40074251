import type { ServerDeps } from '../app.ts';
import type { HealthCheck } from './health.ts';

/** The checks of `/healthz`, `/livez` and `/readyz` have kube-apiserver's names; `etcd` is the store. */
export const storeHealthChecks = ({ store, feed }: Pick<ServerDeps, 'store' | 'feed'>): HealthCheck[] => [
  { name: 'ping', check: () => undefined },
  { name: 'log', check: () => undefined },
  { name: 'etcd', check: async () => void (await store.currentRevision()) },
  { name: 'etcd-readiness', readyOnly: true, check: async () => void (await store.currentRevision()) },
  {
    name: 'informer-sync',
    readyOnly: true,
    check: async () => void (await feed.objects('/registry/namespaces/').waitFor()),
  },
];
