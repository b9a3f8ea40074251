import type { ServerDeps } from '../app.ts';
import type { Store } from '@annex/storage';
import { type HealthCheck, HealthError } from './health.ts';

/** Milliseconds for a check of the store: kube-apiserver's `--etcd-healthcheck-timeout`. A load balancer asks again each second. */
export const storeCheckTimeoutMs = 2_000;

/** The checks of `/healthz`, `/livez` and `/readyz` have kube-apiserver's names; `etcd` is the store. */
export const storeHealthChecks = ({ store, feed }: Pick<ServerDeps, 'store' | 'feed'>): HealthCheck[] => [
  { name: 'ping', check: () => undefined },
  { name: 'log', check: () => undefined },
  { name: 'etcd', check: () => responds(store) },
  { name: 'etcd-readiness', readyOnly: true, check: () => responds(store) },
  // As informers, the watch cache stays synced while the store does not respond.
  {
    name: 'informer-sync',
    readyOnly: true,
    check: () => soon(feed.objects('/registry/namespaces/').waitFor(0)),
  },
];

/** Rejects with kube-apiserver's message if the store does not respond in time. */
async function responds(store: Pick<Store, 'currentRevision'>): Promise<void> {
  try {
    await soon(store.currentRevision());
  } catch {
    throw new HealthError('error getting data from etcd: context deadline exceeded');
  }
}

/** Rejects if the store does not respond in time. */
async function soon(responding: Promise<unknown>): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error('the store does not respond')), storeCheckTimeoutMs);
  await Promise.race([responding, promise]).finally(() => clearTimeout(timer));
}
