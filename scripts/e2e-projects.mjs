// `npm run e2e:projects [-- NAME…]`: suites of other projects, unmodified, on the programs of `annex envtest`. They need Go and its module
// proxy, and take minutes: docs/reference/envtest.md has their results. With KUBEBUILDER_ASSETS they run on that server instead.
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, globSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ensureInstalled, nodeExecutable, root } from './install.mjs';
import { passed } from './passed-cases.ts';

/** The packages of each project, and how many cases of each pass on kube-apiserver. */
const projects = [
  {
    name: 'flux',
    module: 'github.com/fluxcd/pkg/ssa@v0.60.0',
    packages: { '.': 30, './jsondiff': 14 },
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
    const args = ['test', '-count=1', '-timeout=30m', '-v', path];
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
    chmodSync(file, statSync(file).mode | 0o200);
  }
  return folder;
}
