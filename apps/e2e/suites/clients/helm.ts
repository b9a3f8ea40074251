import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { findTool } from '@annex/testkit';
import { type Printed, runCommand } from '../command.ts';

const cache = new URL('../../../../node_modules/.cache/go/helm/', import.meta.url).pathname;

/**
 * Returns the Helm of this machine, or else those that `apps/e2e/clients/helm/build.sh` built. Building takes minutes: without a Helm, the
 * suite is skipped, which is printed on standard error.
 */
export function findHelms(suite: string): [name: string, binary: string][] {
  const installed = findTool('helm');
  if (installed !== undefined) return [['of this machine', installed]];
  const built = existsSync(cache) ? readdirSync(cache).filter((name) => name.startsWith('v')) : [];
  const how = 'apps/e2e/clients/helm/build.sh builds it';
  if (built.length === 0) process.stderr.write(`SKIPPED ${suite}: no helm in PATH or ${cache}; ${how}\n`);
  return built.sort().map((version) => [version, join(cache, version, 'helm')]);
}

/** Returns a function that runs Helm as one user, with its cache in `home`. */
export function helmOf(
  binary: string,
  kubeconfig: string,
  home: string,
): (...args: readonly string[]) => Promise<Printed> {
  const env = { ...process.env, KUBECONFIG: kubeconfig, HOME: home };
  return (...args) => runCommand(binary, args, { env, timeout: 60_000 });
}
