// `npm run pack`: builds all packages, and writes a tarball of each into dist/packages.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from '../install.mjs';
import { packages } from './packages.mjs';
import './main.mjs';

const folder = join(root, 'dist', 'packages');
const folders = packages.map(({ name }) => join(folder, name));
const { status } = spawnSync('npm', ['pack', ...folders, '--pack-destination', folder], {
  stdio: 'inherit',
  shell: process.platform === 'win32',
});
process.exitCode = status ?? 1;
