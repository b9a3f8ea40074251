import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundle } from './bundle.mjs';

/** Builds one package into a folder for `npm pack` and `npm publish`. */
export async function buildPackage(root, { folder, entries, external }, outputFolder) {
  rmSync(join(outputFolder, 'dist'), { recursive: true, force: true });
  const inputs = Object.fromEntries(
    Object.entries(entries).map(([name, file]) => [name, join(root, folder, file)]),
  );
  await bundle(root, { entries: inputs, external, outputFolder });
  const manifest = readJson(join(root, folder, 'package.json'));
  writeFileSync(
    join(outputFolder, 'package.json'),
    `${JSON.stringify(publishedManifest(root, manifest, external), undefined, 2)}\n`,
  );
  for (const name of ['README.md', 'package']) {
    const file = join(root, folder, name);
    if (existsSync(file))
      cpSync(file, join(outputFolder, name === 'package' ? '.' : name), { recursive: true });
  }
  cpSync(join(root, 'LICENSE'), join(outputFolder, 'LICENSE'));
}

/** Returns the package.json for npm users, without the members that only the repository needs. */
function publishedManifest(root, manifest, external) {
  const { packages } = readJson(join(root, 'package-lock.json'));
  const versionOf = (name) => packages[`node_modules/${name}`].version;
  const { name, version, description, license, type, bin, exports } = manifest;
  return {
    name: name === '@annex/cli' ? 'annex' : name,
    version,
    description,
    license,
    type,
    ...(bin ? { bin } : {}),
    ...(exports ? { exports } : {}),
    engines: { node: '^22.23.0 || ^24.21.0' },
    dependencies: Object.fromEntries(external.map((library) => [library, versionOf(library)])),
  };
}

const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'));
