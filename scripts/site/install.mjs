import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../install.mjs';

const locked = join(root, 'scripts', 'site');

/** The folder with the installed tools of the site, and with its pages while it is built. */
export const toolFolder = join(root, '.cache', 'site');

/** Installs the tools of the site in the versions of their own lock file. */
export function installTools() {
  const lock = readFileSync(join(locked, 'package-lock.json'), 'utf8');
  const installed = join(toolFolder, 'installed.json');
  if (existsSync(installed) && readFileSync(installed, 'utf8') === lock) return;
  rmSync(toolFolder, { recursive: true, force: true });
  mkdirSync(toolFolder, { recursive: true });
  for (const file of ['package.json', 'package-lock.json'])
    cpSync(join(locked, file), join(toolFolder, file));
  writeFileSync(join(toolFolder, '.npmrc'), 'ignore-scripts=true\n');
  const stdio = ['ignore', 2, 2];
  execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: toolFolder, stdio, timeout: 300_000 });
  writeFileSync(installed, lock);
}
