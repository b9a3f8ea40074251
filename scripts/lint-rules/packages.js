// The packages of this workspace, and what imports name.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'));

const folders = new Map();

/** Returns the folder of the package that contains a folder. */
export function packageFolder(folder) {
  const known = folders.get(folder);
  if (known !== undefined) return known;
  const found = existsSync(join(folder, 'package.json')) ? folder : packageFolder(dirname(folder));
  folders.set(folder, found);
  return found;
}

const manifests = new Map();

/** Returns the package.json of the package that contains a folder. */
export function manifestOf(folder) {
  const own = packageFolder(folder);
  const manifest = manifests.get(own) ?? readJson(join(own, 'package.json'));
  manifests.set(own, manifest);
  return manifest;
}

/** Returns the package of an import; undefined for files and for modules of Node. */
export function packageOf(specifier) {
  if (/^(?:\.|node:)/.test(specifier)) return undefined;
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

/** Visits every import and re-export whose source is a string. */
export function importVisitor(visit) {
  const visitSource = ({ source }) => {
    if (typeof source?.value === 'string') visit(source, source.value);
  };
  return {
    ImportDeclaration: visitSource,
    ImportExpression: visitSource,
    ExportNamedDeclaration: visitSource,
    ExportAllDeclaration: visitSource,
  };
}

/** Returns the tags of each package by its name: `layer:3`, and exceptions. */
export function readTags() {
  const files = globSync(['{libs,apps,examples}/*/project.json', '{bench,conformance,fuzz}/project.json'], {
    cwd: root,
  });
  return new Map(
    files.map((file) => {
      const path = join(root, file);
      return [readJson(join(dirname(path), 'package.json')).name, readJson(path).tags ?? []];
    }),
  );
}
