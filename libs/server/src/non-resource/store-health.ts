import type { ServerDeps } from '../app.ts';
import type { HealthCheck } from './health.ts';

/** Milliseconds for a check of the store: kube-apiserver's `--etcd-healthcheck-timeout`. A load balancer asks again each second. */
export const storeCheckTimeoutMs = 2_000;

/** The checks of `/healthz`, `/livez` and `/readyz` have kube-apiserver's names; `etcd` is the store. */
export const storeHealthChecks = ({ store, feed }: Pick<ServerDeps, 'store' | 'feed'>): HealthCheck[] => [
  { name: 'ping', check: () => undefined },
  { name: 'log', check: () => undefined },
  { name: 'etcd', check: () => soon(store.currentRevision()) },
  { name: 'etcd-readiness', readyOnly: true, check: () => soon(store.currentRevision()) },
  {
    name: 'informer-sync',
    readyOnly: true,
    check: () => soon(feed.objects('/registry/namespaces/').waitFor()),
  },
];

/** Rejects if the store does not respond in time. */
async function soon(responding: Promise<unknown>): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error('the store does not respond')), storeCheckTimeoutMs);
  await Promise.race([responding, promise]).finally(() => clearTimeout(timer));
}
