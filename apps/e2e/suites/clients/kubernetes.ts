import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, type RunningProcess, startProcess } from '@annex/testkit';
import type { Runner } from '../../runners/runner.ts';

const cache = new URL('../../../../node_modules/.cache/go/kubernetes/', import.meta.url).pathname;
const names = ['kube-scheduler', 'kube-controller-manager'] as const;

/** Paths of the Kubernetes programs. */
export type Kubernetes = Readonly<Record<(typeof names)[number], string>>;

/**
 * Returns kube-scheduler and kube-controller-manager of the folder in `KUBERNETES_BINARIES`, or those that
 * `apps/e2e/clients/kubernetes/build.sh` built. Building takes minutes: without them the suite is skipped, which is printed on standard
 * error.
 */
export function findKubernetes(suite: string): Kubernetes | undefined {
  const folder = process.env.KUBERNETES_BINARIES ?? cache;
  const found = names.map((name) => [name, join(folder, name)] as const);
  const missing = found.filter(([, path]) => !existsSync(path)).map(([name]) => name);
  if (missing.length === 0) return Object.fromEntries(found) as Kubernetes;
  const how = 'apps/e2e/clients/kubernetes/build.sh builds them';
  process.stderr.write(`SKIPPED ${suite}: ${missing.join(', ')} not in ${folder}; ${how}\n`);
  return undefined;
}

/** Starts a program as the administrator of an Annex, and resolves when it serves. */
export async function startKubernetes(
  annex: Runner,
  binary: string,
  options: Readonly<Record<string, string>> = {},
): Promise<RunningProcess> {
  const { kubeconfig } = annex;
  const all = {
    kubeconfig,
    'authentication-kubeconfig': kubeconfig,
    'authorization-kubeconfig': kubeconfig,
    'secure-port': String(await freePort()),
    'bind-address': '127.0.0.1',
    ...options,
  };
  const args = Object.entries(all).map(([name, value]) => `--${name}=${value}`);
  return startProcess(binary, { args, until: /Serving securely on/ });
}
