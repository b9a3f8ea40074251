import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findTool, freePort, type RunningProcess, startProcess } from '@annex/testkit';

/** The makers of a scheduler. */
export type SchedulerMaker = 'annex' | 'kube-scheduler';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const cache = process.env.KUBERNETES_BINARIES ?? join(root, 'node_modules/.cache/go/kubernetes');

/** Returns the path of kube-scheduler: in `KUBERNETES_BINARIES`, where `apps/e2e/clients/kubernetes/build.sh` writes it, or in `PATH`. */
export function findKubeScheduler(): string | undefined {
  const built = join(cache, 'kube-scheduler');
  return existsSync(built) ? built : findTool('kube-scheduler');
}

/** Starts a scheduler without a limit of its rate of requests. */
export async function startScheduler(
  maker: SchedulerMaker,
  folder: string,
  kubeconfig: string,
  nodeArgs: readonly string[],
): Promise<RunningProcess> {
  const config = join(folder, 'scheduler.yaml');
  writeFileSync(
    config,
    JSON.stringify({
      apiVersion: 'kubescheduler.config.k8s.io/v1',
      kind: 'KubeSchedulerConfiguration',
      leaderElection: { leaderElect: false },
      clientConnection: { kubeconfig, qps: 5_000, burst: 5_000 },
    }),
  );
  const args = [`--config=${config}`, '--bind-address=127.0.0.1', `--secure-port=${await freePort()}`];
  if (maker === 'annex')
    return await startProcess(process.execPath, {
      args: [...nodeArgs, join(root, 'apps/cli/bin/annex.js'), 'scheduler', ...args],
    });
  return await startProcess(findKubeScheduler() ?? 'kube-scheduler', { args });
}
