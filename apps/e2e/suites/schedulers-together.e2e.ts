import type { RunningProcess } from '@annex/testkit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { findKubernetes } from './clients/kubernetes.ts';
import { patienceMs } from './patience.ts';
import { readBindings } from './schedulers/binding-history.ts';
import { SharedCluster } from './schedulers/shared-cluster.ts';

/** The number of Pods that schedulers share. `npm run e2e:schedulers` uses 10,000. */
const podCount = Number(process.env.ANNEX_PODS ?? 80);
const isLong = process.env.ANNEX_PODS !== undefined;
/** Pods that a node has room for. */
const podsOfNode = isLong ? 50 : 10;
/** kube-scheduler's defaults, or shorter ones, but long enough for a busy machine. */
const leaseMs = isLong
  ? { lease: 15_000, renew: 10_000, retry: 2_000 }
  : { lease: 8_000, renew: 6_000, retry: 500 };
const withinMs = patienceMs + podCount * 50;
const kubeScheduler = findKubernetes('Annex and kube-scheduler share a cluster')?.['kube-scheduler'];

/** `name` is the profile and the Lease of the second scheduler; `binary` is its program, by default that of Annex. */
function shareCluster(title: string, name: string, binary: string | undefined): void {
  describe(title, () => {
    let cluster: SharedCluster;
    let leader: RunningProcess;
    let next: RunningProcess;
    const report = (text: string): void => {
      if (isLong) process.stdout.write(`${title}: ${text}\n`);
    };

    /** Resolves when this number of Pods has a place; Pods that a node rejects are replaced. */
    async function place(count: number, schedulers: readonly string[]): Promise<void> {
      const { history } = cluster;
      const { counts } = history;
      const each = Math.ceil(count / schedulers.length);
      await Promise.all(schedulers.map((one) => cluster.createPods(each, one)));
      let replaced = 0;
      for (;;) {
        await history.until(() => counts.admitted >= count || counts.rejected > replaced, withinMs);
        const missing = counts.rejected - replaced;
        if (missing === 0) return;
        for (let i = 0; i < missing; i++)
          await cluster.createPods(1, schedulers[replaced++ % schedulers.length] ?? '');
      }
    }

    /** Every Pod was bound exactly once, by this scheduler's processes. */
    async function expectBoundOnce(): Promise<ReturnType<typeof readBindings>> {
      // A watch sees a binding before the audit log has its response.
      await vi.waitUntil(() => readBindings(cluster.auditLog).size === cluster.history.pods.size, withinMs);
      const bindings = readBindings(cluster.auditLog);
      for (const { name: pod, nodes } of cluster.history.pods.values()) {
        expect(nodes, pod).toHaveLength(1);
        expect(bindings.get(pod), pod).toHaveLength(1);
      }
      expect(bindings.size).toBe(cluster.history.pods.size);
      return bindings;
    }

    const boundBy = (user: string) =>
      [...readBindings(cluster.auditLog).values()].flat().filter(({ by }) => by === user);

    /** Ends the leader while Pods are created and bound. Resolves when all are bound by its successor or by itself. */
    async function endUnderLoad(count: number, end: () => Promise<void> | void): Promise<void> {
      const { counts } = cluster.history;
      const before = counts.bound;
      let created = 0;
      let ended: Promise<void> | undefined;
      await cluster.createPods(count, name, async () => {
        created++;
        if (created === Math.ceil(count / 2)) {
          await cluster.history.until(() => counts.bound > before, withinMs);
          ended = Promise.resolve(end());
          await ended;
        }
      });
      await ended;
      await cluster.history.until(() => counts.bound === before + count, withinMs);
    }

    beforeAll(async () => {
      cluster = await SharedCluster.start({
        nodes: Math.ceil((1.5 * podCount) / podsOfNode) + 3,
        podsOfNode,
        leaseMs,
      });
    });
    afterAll(() => cluster?.stop());

    it('bind each Pod once, by its own scheduler, and nodes reject what both placed on the same room', async () => {
      await cluster.startScheduler('first', 'first');
      leader = await cluster.startScheduler(name, 'leader', binary);
      const start = performance.now();
      await place(podCount, ['first', name]);
      const bindings = await expectBoundOnce();
      const by = (user: string) => [...bindings.values()].flat().filter((one) => one.by === user).length;
      report(
        `${podCount} Pods have a place after ${((performance.now() - start) / 1000).toFixed(1)} s; bound by the first ${by('first')}, by the other ${by('leader')}; rejected by nodes ${cluster.history.counts.rejected}`,
      );
      expect(by('first')).toBeGreaterThanOrEqual(podCount / 2);
      expect(by('leader')).toBeGreaterThanOrEqual(podCount / 2);
    });

    it('continue when the leader is killed: every Pod is bound once', async () => {
      next = await cluster.startScheduler(name, 'successor');
      const count = Math.ceil(podCount / 4);
      const killed = { at: 0, renewTime: '' };
      await endUnderLoad(count, async () => {
        leader.kill('SIGKILL');
        await leader.exited;
        killed.at = Date.now();
        killed.renewTime = (await cluster.lease(name, () => true, patienceMs)).renewTime;
      });
      await expectBoundOnce();
      const { acquireTime, leaseTransitions } = await cluster.lease(name, () => true, patienceMs);
      const first = Math.min(...boundBy('successor').map(({ at }) => at));
      report(
        `the successor leads ${Date.parse(acquireTime) - killed.at} ms after the kill, and binds after ${first - killed.at} ms`,
      );
      expect(leaseTransitions).toBe(1);
      // A successor that is early would lead beside its predecessor.
      expect(Date.parse(acquireTime) - Date.parse(killed.renewTime)).toBeGreaterThanOrEqual(leaseMs.lease);
      expect(boundBy('successor').length).toBeGreaterThan(0);
    });

    it('continue when the leader stands still, which binds nothing more when it continues, and ends', async () => {
      await cluster.startScheduler(name, 'third', binary);
      const count = Math.ceil(podCount / 4);
      await endUnderLoad(count, () => next.kill('SIGSTOP'));
      const { acquireTime } = await cluster.lease(name, (one) => one.leaseTransitions === 2, patienceMs);
      const before = cluster.history.counts.bound;
      next.kill('SIGCONT');
      await cluster.createPods(10, name);
      expect(await next.exited).toBe(1);
      const { counts, pods } = cluster.history;
      await cluster.history.until(() => counts.bound === before + 10, withinMs);
      expect(pods.size).toBe(counts.bound);
      await expectBoundOnce();
      const late = boundBy('successor').filter(({ at }) => at > Date.parse(acquireTime));
      expect(late).toEqual([]);
      expect(boundBy('third').length).toBeGreaterThan(0);
    });
  });
}

shareCluster('two schedulers of Annex', 'second', undefined);
describe.runIf(kubeScheduler !== undefined)('beside kube-scheduler', () => {
  shareCluster('Annex and kube-scheduler', 'kube', kubeScheduler);
});
