import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Copies installed libraries with their dependencies into `node_modules` of a folder. */
export function copyDependencies(root, names, target) {
  const copied = new Set();
  const copy = (name, parents) => {
    const path = [...parents, root]
      .map((folder) => join(folder, 'node_modules', name))
      .find((candidate) => existsSync(join(candidate, 'package.json')));
    // Optional dependencies of other platforms are not installed.
    if (path === undefined || copied.has(path)) return;
    copied.add(path);
    cpSync(path, join(target, path.slice(root.length)), { recursive: true, dereference: true });
    const { dependencies = {}, optionalDependencies = {} } = readManifest(path);
    for (const dependency of Object.keys({ ...dependencies, ...optionalDependencies }))
      copy(dependency, [path, ...parents]);
  };
  for (const name of names) copy(name, []);
}

const readManifest = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
