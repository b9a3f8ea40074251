import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { tempFolder } from '@annex/testkit';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** The files of another commit, until it is disposed of. */
export interface Revision extends Disposable {
  root: string;
  commit: string;
}

const git = (...args: string[]): string =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim();

/** Checks a commit out into a temporary folder. It uses the third-party packages of this checkout. */
export function checkOut(ref: string): Revision {
  const commit = git('rev-parse', '--short=12', `${ref}^{commit}`);
  const folder = tempFolder('annex-revision-');
  const files = join(folder.path, 'annex');
  git('worktree', 'add', '--quiet', '--detach', files, commit);
  linkPackages(files);
  return {
    root: files,
    commit,
    [Symbol.dispose]() {
      git('worktree', 'remove', '--force', files);
      folder[Symbol.dispose]();
    },
  };
}

const isOwn = (name: string): boolean => name === '@annex' || name.startsWith('.');

function linkPackages(files: string): void {
  const packages = join(files, 'node_modules');
  mkdirSync(join(packages, '@annex'), { recursive: true });
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (!isOwn(name)) symlinkSync(join(root, 'node_modules', name), join(packages, name));
  }
  for (const folder of ['libs', 'apps']) {
    for (const name of readdirSync(join(files, folder)))
      symlinkSync(join(files, folder, name), join(packages, '@annex', name));
  }
}
