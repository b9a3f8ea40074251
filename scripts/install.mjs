// Installs what the lock file names, unless it is there. Runs on any Node from 20 on, with nothing installed.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** The Node that everything runs on: a dependency, so that its version is pinned. */
export const pinnedNode = join(
  root,
  'node_modules',
  '.bin',
  process.platform === 'win32' ? 'node.cmd' : 'node',
);

const readPackages = (path) => JSON.parse(readFileSync(path, 'utf8')).packages;

/** True when every package of the lock file is installed in its version. npm keeps its own list of what it installed. */
export function isInstalled({ dev }) {
  const installedList = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(installedList) || !existsSync(pinnedNode)) return false;
  const installed = readPackages(installedList);
  const wanted = Object.entries(readPackages(join(root, 'package-lock.json')));
  return wanted.every(([path, entry]) => {
    if (!path.includes('node_modules/') || entry.optional || entry.peer) return true;
    if (!dev && (entry.dev || entry.devOptional)) return true;
    const found = installed[path];
    return found !== undefined && found.version === entry.version;
  });
}

/** Makes the installation complete. Two processes do not install at the same time. */
export function ensureInstalled({ dev }) {
  if (isInstalled({ dev })) return;
  const unlock = lock();
  try {
    if (!isInstalled({ dev })) install(dev);
  } finally {
    unlock();
  }
}

function install(dev) {
  const args = ['ci', '--no-audit', '--no-fund', ...(dev ? [] : ['--omit=dev'])];
  process.stderr.write(`installing: npm ${args.join(' ')}\n`);
  // npm prints to standard error, so that standard output stays the program's own.
  const { status, error } = spawnSync('npm', args, { cwd: root, stdio: ['ignore', 2, 2], shell: isWindows });
  if (status === 0) return compileOnce();
  process.stderr.write(
    `npm ci failed: ${error?.message ?? `exit code ${status}`}. Check the network and the registry.\n`,
  );
  process.exit(1);
}

// What the first start would compile is compiled here: its time and memory are those of every other start then.
function compileOnce() {
  const code =
    "await Promise.all(['apps/cli/src/annex.ts', 'apps/controllers/src/controllers.ts'].map((file) => import(`./${file}`)))";
  const env = { ...process.env, NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'annex') };
  spawnSync(pinnedNode, ['--input-type=module', '-e', code], {
    cwd: root,
    env,
    stdio: 'ignore',
    timeout: 30_000,
  });
}

const isWindows = process.platform === 'win32';

function lock() {
  const folder = join(root, '.cache');
  const path = join(folder, 'install.lock');
  mkdirSync(folder, { recursive: true });
  const nap = new Int32Array(new SharedArrayBuffer(4));
  for (;;) {
    try {
      writeFileSync(path, String(process.pid), { flag: 'wx' });
      return () => rmSync(path, { force: true });
    } catch {
      if (!isAlive(path)) rmSync(path, { force: true });
      else Atomics.wait(nap, 0, 0, 200);
    }
  }
}

function isAlive(path) {
  try {
    process.kill(Number(readFileSync(path, 'utf8')), 0);
    return true;
  } catch {
    return false;
  }
}
