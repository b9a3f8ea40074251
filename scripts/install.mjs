// Installs the packages of the lock file, unless they are installed. Runs with any Node from 20 on, without installed packages.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));

/** The Node that runs all code: a locked dependency, so that its version and its bytes are pinned. */
const pinnedNode = join(root, 'node_modules', '.bin', process.platform === 'win32' ? 'node.cmd' : 'node');
const binaryPackages = readJson(join(root, 'package.json')).optionalDependencies;
/** The package of that binary; undefined if the registry has none for this platform. */
const binaryPackage = Object.keys(binaryPackages).find(
  (name) => name === `node-${platform()}-${process.arch}`,
);
const pinnedVersion = Object.values(binaryPackages)[0];

function platform() {
  return process.platform === 'win32' ? 'win' : process.platform;
}

/** True for the pinned version and later ones with the same major version. Node 22 does not run the sources. */
export function isSupportedNode(version) {
  const [major, minor, patch] = version.split('.').map((part) => parseInt(part, 10));
  const [pinnedMajor, pinnedMinor, pinnedPatch] = pinnedVersion.split('.').map((part) => parseInt(part, 10));
  if (major !== pinnedMajor) return false;
  return minor > pinnedMinor || (minor === pinnedMinor && patch >= pinnedPatch);
}

/** The executable that runs Annex and its tests. Call it after `ensureInstalled`. */
export function nodeExecutable() {
  if (binaryPackage !== undefined) return pinnedNode;
  if (isSupportedNode(process.versions.node)) return process.execPath;
  process.stderr.write(
    `Annex needs Node ${pinnedVersion} or a later release of the same major version; this is Node ${process.versions.node}. ` +
      `The registry has no Node for ${process.platform} ${process.arch}: install it, and run the command again.\n`,
  );
  process.exit(1);
}

const readPackages = (path) => readJson(path).packages;

/** True if every package of the lock file is installed in its version. npm keeps a list of the packages that it installed. */
export function isInstalled({ dev }) {
  const installedList = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(installedList) || (binaryPackage !== undefined && !existsSync(pinnedNode))) return false;
  const installed = readPackages(installedList);
  const wanted = Object.entries(readPackages(join(root, 'package-lock.json')));
  return wanted.every(([path, entry]) => {
    if (!path.includes('node_modules/') || entry.peer) return true;
    if (entry.optional && path !== `node_modules/${binaryPackage}`) return true;
    if (!dev && (entry.dev || entry.devOptional)) return true;
    const found = installed[path];
    return found !== undefined && found.version === entry.version;
  });
}

/** Completes the installation. A lock prevents concurrent installations. */
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
  const packages = Object.entries(readPackages(join(root, 'package-lock.json'))).filter(
    ([path, entry]) =>
      path.includes('node_modules/') && !entry.link && (dev || !(entry.dev || entry.devOptional)),
  );
  const startedAt = performance.now();
  process.stderr.write(
    `Installing ${packages.length} packages into node_modules, only once: npm ${args.join(' ')}\n`,
  );
  // npm prints to standard error, so that standard output is that of the program.
  const { status, error } = spawnSync('npm', args, { cwd: root, stdio: ['ignore', 2, 2], shell: isWindows });
  if (status === 0) {
    compileOnce();
    process.stderr.write(`Installed in ${Math.ceil((performance.now() - startedAt) / 1000)} s.\n`);
    return;
  }
  process.stderr.write(
    `npm ci failed: ${error?.message ?? `exit code ${status}`}. Check the network and the registry.\n`,
  );
  process.exit(1);
}

// Compiles the code once, so that the first start takes the same time and memory as later starts.
function compileOnce() {
  const own = ['own-files', 'main', 'commands', 'up'].map((name) => `apps/cli/src/${name}.ts`);
  const files = JSON.stringify([...own, 'apps/controllers/src/controllers.ts']);
  const code = `await Promise.all(${files}.map((file) => import('./' + file)))`;
  const env = { ...process.env, NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'annex') };
  spawnSync(nodeExecutable(), ['--input-type=module', '-e', code], {
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
