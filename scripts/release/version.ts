import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const steps = ['major', 'minor', 'patch'];

/** Returns the released version: the given one, or the next one after the current one. Throws for anything else. */
export function releasedVersion(current: string, specifier: string): string {
  if (/^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/.test(specifier)) return specifier;
  const step = steps.indexOf(specifier);
  if (step < 0) throw new Error(`${specifier} is no version, and none of ${steps.join(', ')}`);
  const parts = current.split('-', 1)[0]!.split('.').map(Number);
  return parts.map((part, i) => (i < step ? part : i === step ? part + 1 : 0)).join('.');
}

interface LockFile {
  version: string;
  packages: Record<string, { version?: string; link?: boolean }>;
}

/**
 * Writes a version into the package.json of all packages, and into the lock file. Packages name each other without a version, so their
 * dependencies stay.
 */
export function writeVersion(root: string, version: string): void {
  const { workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    workspaces: string[];
  };
  for (const folder of ['.', ...globSync(workspaces, { cwd: root })]) {
    const path = join(root, folder, 'package.json');
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, text.replace(/^ {2}"version": "[^"]*"/m, `  "version": "${version}"`));
  }
  const path = join(root, 'package-lock.json');
  const lock = JSON.parse(readFileSync(path, 'utf8')) as LockFile;
  lock.version = version;
  for (const [folder, entry] of Object.entries(lock.packages))
    if (!folder.includes('node_modules') && entry.version !== undefined) entry.version = version;
  writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
}
