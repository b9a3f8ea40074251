import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findTool, requireTools } from '@annex/testkit';
import { type Printed, runCommand } from '../command.ts';

const cache = new URL('../../../../node_modules/.cache/go/', import.meta.url).pathname;

/** Builds Helm where it is not yet, which takes minutes; resolves to its path. */
async function installHelm(version: string): Promise<string> {
  const folder = join(cache, `helm-${version}`);
  const binary = join(folder, 'helm');
  if (existsSync(binary)) return binary;
  await mkdir(folder, { recursive: true });
  const module = `helm.sh/helm/${version.split('.')[0]}/cmd/helm@${version}`;
  const env = { ...process.env, GOBIN: folder };
  await promisify(execFile)('go', ['install', module], { env, maxBuffer: 2 ** 26 });
  return binary;
}

/**
 * The Helm of this machine, or else those of these versions, built with Go. Where neither is to be had, none, and standard
 * error says which suite is skipped.
 */
export async function findHelms(
  suite: string,
  versions: readonly string[],
): Promise<[name: string, binary: string][]> {
  const installed = findTool('helm');
  if (installed !== undefined) return [['of this machine', installed]];
  if (!requireTools(suite, 'go')) return [];
  const found: [string, string][] = [];
  for (const version of versions) {
    try {
      found.push([version, await installHelm(version)]);
    } catch (error) {
      const why = String((error as { stderr?: string }).stderr ?? error).trim();
      process.stderr.write(`SKIPPED ${suite} ${version}: it cannot be built: ${why.split('\n').at(-1)}\n`);
    }
  }
  return found;
}

/** Helm as one user; what it caches is kept in `home`. */
export function helmOf(
  binary: string,
  kubeconfig: string,
  home: string,
): (...args: readonly string[]) => Promise<Printed> {
  const env = { ...process.env, KUBECONFIG: kubeconfig, HOME: home };
  return (...args) => runCommand(binary, args, { env, timeout: 60_000 });
}
