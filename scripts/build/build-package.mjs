import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundle, bundleNodeCheck } from './bundle.mjs';
import { bundleDeclarations } from './declarations.mjs';
import { publishedManifest } from './manifest.mjs';

/** Builds one package into a folder that `npm pack` and `npm publish` accept. */
export async function buildPackage(root, description, outputFolder, { types }) {
  const { folder, reexports, typed = [], checked = [], external } = description;
  rmSync(join(outputFolder, 'dist'), { recursive: true, force: true });
  if (reexports) writeReexports(reexports, outputFolder);
  else {
    const entriesOf = (names) =>
      Object.fromEntries(names.map((name) => [name, join(root, description.entries[name])]));
    if (checked.length > 0) await bundleNodeCheck(root, outputFolder);
    const entries = entriesOf(Object.keys(description.entries));
    await bundle(root, { entries, checked, external, outputFolder });
    if (types && typed.length > 0)
      await bundleDeclarations(root, { entries: entriesOf(typed), outputFolder });
  }
  const manifest = JSON.stringify(publishedManifest(root, description), undefined, 2);
  writeFileSync(join(outputFolder, 'package.json'), `${manifest}\n`);
  for (const file of ['LICENSE', 'CHANGELOG.md']) cpSync(join(root, file), join(outputFolder, file));
  cpSync(join(root, folder, 'README.md'), join(outputFolder, 'README.md'));
  // Files that only the published package has, such as the start of its command.
  const files = join(root, folder, 'package');
  if (existsSync(files)) cpSync(files, outputFolder, { recursive: true });
}

function writeReexports(target, outputFolder) {
  const dist = join(outputFolder, 'dist');
  mkdirSync(dist, { recursive: true });
  for (const file of ['index.js', 'index.d.ts'])
    writeFileSync(join(dist, file), `export * from '${target}';\n`);
}
