// `npm run e2e:projects [-- NAME…]`: suites of other projects, unmodified, on the programs of `annex envtest`. They need Go and its module
// proxy, and take minutes: docs/reference/envtest.md has their results. With KUBEBUILDER_ASSETS they run on that server instead.
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, globSync, mkdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { ensureInstalled, nodeExecutable, root } from './install.mjs';
import { passed } from './passed-cases.ts';

/**
 * Two tests of controller-runtime download kube-apiserver 1.28, unless it is in the folder of setup-envtest. Without it, they are skipped,
 * with the number of their cases.
 */
const downloaded = join(
  process.env.XDG_DATA_HOME ?? join(homedir(), '.local', 'share'),
  'kubebuilder-envtest/k8s/1.28.0-linux-amd64/kube-apiserver',
);
const downloading = existsSync(downloaded)
  ? { args: [], cases: 0 }
  : { args: ['-skip', '/^aggregatedDiscovery=false$'], cases: 16 };

/** The packages of each project, and how many cases of each pass on kube-apiserver. */
const projects = [
  {
    name: 'controller-runtime',
    module: 'sigs.k8s.io/controller-runtime@v0.24.1',
    packages: {
      './pkg/builder': 72,
      './pkg/cache': 304,
      './pkg/cache/internal': 1,
      './pkg/certwatcher': 8,
      './pkg/client': 300,
      './pkg/client/apiutil': 36 - downloading.cases,
      './pkg/client/config': 10,
      './pkg/client/fake': 322,
      './pkg/client/interceptor': 30,
      './pkg/cluster': 15,
      './pkg/controller': 32,
      './pkg/controller/controllerutil': 60,
      './pkg/controller/priorityqueue': 29,
      './pkg/envtest': 35,
      './pkg/envtest/komega': 40,
      './pkg/finalizer': 9,
      './pkg/handler': 96,
      './pkg/healthz': 14,
      './pkg/internal/controller': 75,
      './pkg/internal/field/selector': 6,
      './pkg/internal/metrics': 5,
      './pkg/internal/recorder': 5,
      './pkg/internal/source': 18,
      './pkg/internal/syncs': 10,
      './pkg/internal/testing/addr': 3,
      './pkg/internal/testing/certs': 18,
      './pkg/internal/testing/controlplane': 41,
      './pkg/internal/testing/process': 53,
      './pkg/log': 9,
      './pkg/log/zap': 30,
      './pkg/manager': 107,
      './pkg/manager/internal/integration': 2,
      './pkg/manager/signals': 1,
      './pkg/metrics/filters': 2,
      './pkg/predicate': 38,
      './pkg/reconcile': 10,
      './pkg/scheme': 2,
      './pkg/source': 19,
      './pkg/webhook': 8,
      './pkg/webhook/admission': 66,
      './pkg/webhook/authentication': 21,
      './pkg/webhook/conversion': 24,
    },
  },
  {
    name: 'flux',
    module: 'github.com/fluxcd/pkg/ssa@v0.60.0',
    packages: { '.': 80, './jsondiff': 99 },
  },
  {
    name: 'trust-manager',
    module: 'github.com/cert-manager/trust-manager@v0.25.0',
    packages: { './test/integration/bundle': 87, './test/integration/clusterbundle': 81 },
  },
];

const chosen = process.argv.slice(2);
const unknown = chosen.filter((name) => !projects.some((project) => project.name === name));
if (unknown.length > 0) {
  const names = projects.map(({ name }) => name).join(', ');
  process.stderr.write(`there is no project ${unknown.join(', ')}; there are ${names}\n`);
  process.exit(1);
}

if (spawnSync('go', ['version']).error) {
  process.stderr.write('SKIPPED suites of other projects: go not found in PATH\n');
} else {
  const assets = process.env.KUBEBUILDER_ASSETS ?? builtAssets();
  for (const project of projects)
    if (chosen.length === 0 || chosen.includes(project.name)) runProject(project, assets);
}

/** Builds the command, as users install it, and returns the folder of its programs. */
function builtAssets() {
  ensureInstalled({ dev: true });
  const node = nodeExecutable();
  const build = [join(root, 'scripts', 'build', 'main.mjs'), '--no-types', 'annex'];
  execFileSync(node, build, { cwd: root, stdio: 'inherit' });
  const command = join(root, 'dist', 'packages', 'annex', 'bin', 'annex.js');
  const dir = join(root, '.cache', 'projects', 'assets');
  return String(execFileSync(node, [command, 'envtest', '--dir', dir])).trim();
}

function runProject({ name, module, packages }, assets) {
  const folder = sourceOf(name, module);
  if (folder === undefined) return;
  for (const [path, expected] of Object.entries(packages)) {
    const args = ['test', '-count=1', '-timeout=30m', '-v', ...downloading.args, path];
    const { status, stdout, stderr } = spawnSync('go', args, {
      cwd: folder,
      env: { ...process.env, KUBEBUILDER_ASSETS: assets },
      encoding: 'utf8',
      maxBuffer: 1024 ** 3,
    });
    const count = passed(stdout);
    const good = status === 0 && count === expected;
    process.stdout.write(`${good ? 'ok  ' : 'FAIL'} ${module} ${path}: ${count} of ${expected} passed\n`);
    if (good) continue;
    process.stderr.write(`${stdout}\n${stderr}\n`);
    process.exitCode = 1;
  }
}

/** Copies the source of a module, which is read-only in Go's cache. */
function sourceOf(name, module) {
  const folder = join(root, '.cache', 'projects', module.replaceAll('/', '_'));
  if (existsSync(join(folder, 'go.mod'))) return folder;
  const { status, stdout } = spawnSync('go', ['mod', 'download', '-json', module], {
    cwd: '/',
    encoding: 'utf8',
  });
  if (status !== 0) {
    process.stderr.write(
      `SKIPPED ${name}: ${JSON.parse(stdout || '{}').Error ?? 'go mod download failed'}\n`,
    );
    return undefined;
  }
  mkdirSync(folder, { recursive: true });
  cpSync(JSON.parse(stdout).Dir, folder, { recursive: true });
  for (const path of globSync('**', { cwd: folder })) {
    const file = join(folder, path);
    // Go's cache has no executable files.
    chmodSync(file, statSync(file).mode | (path.endsWith('.sh') ? 0o300 : 0o200));
  }
  return folder;
}
