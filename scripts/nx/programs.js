// Prints the optional programs that tests run. If one is added or changes its version, the tests run again.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const names = new Set([
  ...['etcd', 'etcdctl', 'kine', 'postgres', 'initdb', 'proxy-server', 'proxy-agent'],
  ...['kubectl', 'helm', 'go', 'jq', 'curl', 'openssl', 'docker', 'podman'],
  ...['bash', 'fish', 'zsh', 'ssh', 'sshd', 'unshare', 'ip'],
]);
const isProgram = (name) => names.has(name) || /^kubectl\.1\.\d+$/.test(name);

/** The folders of `PATH`, and those where scripts of this repository build programs. */
const folders = [
  ...(process.env.PATH ?? '').split(delimiter),
  join(root, '.cache', 'reference', 'bin'),
  process.env.KUBERNETES_BINARIES ?? join(root, 'node_modules', '.cache', 'go', 'kubernetes'),
  join(root, 'node_modules', '.cache', 'go', 'helm'),
].filter((folder) => folder !== '' && existsSync(folder));

for (const folder of new Set(folders)) {
  const isOwn = folder.startsWith(root) && !folder.endsWith('.bin');
  for (const name of readdirSync(folder)
    .filter((name) => isOwn || isProgram(name))
    .sort()) {
    const { size, mtimeMs } = statSync(join(folder, name), { throwIfNoEntry: false }) ?? {};
    process.stdout.write(`${join(folder, name)} ${size} ${mtimeMs}\n`);
  }
}
