import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import manifest from '../package.json' with { type: 'json' };

/** The templates, with descriptions of their projects. */
export const templates: ReadonlyMap<string, string> = new Map([
  ['crd-tests', 'tests of a CustomResourceDefinition'],
  ['extension-server', 'an extension API server with @annex/sdk, and its tests'],
  ['operator', 'an operator with @kubernetes/client-node, and its tests'],
]);

const folderOfTemplates = fileURLToPath(new URL('../data/', import.meta.url));

/** npm leaves `.gitignore` out of packages, and tools read each `package.json`: these files have other names in the templates. */
const renamed: ReadonlyMap<string, string> = new Map([
  ['_gitignore', '.gitignore'],
  ['_package.json', 'package.json'],
]);

/** Writes the files of a template. Throws if the folder contains other files than those of git. */
export function createProject(folder: string, template: string): void {
  mkdirSync(folder, { recursive: true });
  const present = readdirSync(folder).filter((name) => name !== '.git');
  if (present.length > 0)
    throw new Error(`${folder} is not empty: it contains ${present.slice(0, 3).join(', ')}`);
  const source = join(folderOfTemplates, template);
  const name = packageName(folder);
  for (const entry of readdirSync(source, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const text = readFileSync(join(entry.parentPath, entry.name), 'utf8');
    const path = entry.parentPath.slice(source.length);
    const target = join(folder, path, renamed.get(entry.name) ?? entry.name);
    mkdirSync(dirname(target), { recursive: true });
    // The packages of Annex have the same version.
    const filled = text.replaceAll('{{NAME}}', name).replaceAll('{{VERSION}}', manifest.version);
    writeFileSync(target, filled, { flag: 'wx' });
  }
}

/** Returns a name that npm accepts. */
function packageName(folder: string): string {
  const words = basename(folder)
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
  return words.length === 0 ? 'annex-project' : words.join('-');
}
