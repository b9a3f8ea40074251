// `npm run pack`: builds all packages, and writes a tarball of each into dist/packages.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from '../install.mjs';
import { packages } from './packages.mjs';

const folder = join(root, 'dist', 'packages');
const steps = [
  [process.execPath, [join(import.meta.dirname, 'main.mjs')]],
  ...packages.map(({ name }) => ['npm', ['pack', join(folder, name), '--pack-destination', folder]]),
];
for (const [command, args] of steps) {
  const { status } = spawnSync(command, args, {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (status !== 0) process.exit(status ?? 1);
}
