import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort, startProcess, tempFolder } from '@annex/testkit';
import { vi } from 'vitest';
import { npmEnvironment, type Registry } from './registry.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const locked = fileURLToPath(new URL('../registry', import.meta.url));
const cache = join(root, '.cache', 'registry');

/** Starts Verdaccio, a registry that others use. Returns undefined, and prints a line, where the registry of other packages does not respond. */
export async function startVerdaccio(): Promise<Registry | undefined> {
  try {
    installVerdaccio();
  } catch (error) {
    process.stderr.write(
      `SKIPPED the registry on loopback: npm ci failed: ${String(error).split('\n', 1)[0]}\n`,
    );
    return undefined;
  }
  const folder = tempFolder('annex-registry-');
  const url = `http://127.0.0.1:${await freePort()}/`;
  const config = join(folder.path, 'config.yaml');
  writeFileSync(config, verdaccioConfig(folder.path));
  const verdaccio = join(cache, 'node_modules', 'verdaccio', 'bin', 'verdaccio');
  const args = [verdaccio, '--config', config, '--listen', url];
  const server = await startProcess(process.execPath, { args, cwd: folder.path, until: /http address/ });
  const env = npmEnvironment(url, folder.path);
  const stop = async () => {
    await server.stop();
    folder[Symbol.dispose]();
  };
  // Verdaccio prints its address before it listens.
  const status = await vi
    .waitFor(() => fetch(`${url}lmdb`), { timeout: 30_000 })
    .then((response) => response.status)
    .catch(String);
  if (status === 200) return { url, env, [Symbol.asyncDispose]: stop };
  process.stderr.write(`SKIPPED the registry on loopback: no other packages, ${status}\n`);
  await stop();
  return undefined;
}

/** Installs Verdaccio once, in the versions of its own lock file. */
function installVerdaccio(): void {
  const lock = join(locked, 'package-lock.json');
  const installed = join(cache, 'package-lock.json');
  const isCurrent = () => readFileSync(installed, 'utf8') === readFileSync(lock, 'utf8');
  try {
    if (isCurrent()) return;
  } catch {
    // It is not installed.
  }
  mkdirSync(cache, { recursive: true });
  cpSync(join(locked, 'package.json'), join(cache, 'package.json'));
  writeFileSync(join(cache, '.npmrc'), 'ignore-scripts=true\n');
  rmSync(installed, { force: true });
  const staged = join(cache, 'npm-shrinkwrap.json');
  cpSync(lock, staged);
  execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: cache, stdio: 'ignore', timeout: 300_000 });
  rmSync(staged);
  cpSync(lock, installed);
}

/** Own packages are published anew by each run; those of other registries stay in the cache. */
function verdaccioConfig(folder: string): string {
  const upstream = String(execFileSync('npm', ['config', 'get', 'registry'], { cwd: root, stdio: 'pipe' }));
  const own = '{ access: $all, publish: $all, storage: own }';
  return `storage: ${folder}
uplinks:
  upstream: { url: ${upstream.trim()}, maxage: 1d }
packages:
  annex: ${own}
  create-annex: ${own}
  '@annex/*': ${own}
  '**': { access: $all, proxy: upstream }
auth: { htpasswd: { file: ${join(folder, 'htpasswd')}, max_users: -1 } }
log: { type: stdout, format: json, level: warn }
web: { enable: false }
`;
}
