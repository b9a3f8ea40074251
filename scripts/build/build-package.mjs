import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundle, bundleNodeCheck } from './bundle.mjs';
import { bundleDeclarations } from './declarations.mjs';
import { publishedManifest } from './manifest.mjs';

/** Builds one package into a folder that `npm pack` and `npm publish` accept. */
export async function buildPackage(root, description, outputFolder, { types }) {
  const { folder, reexports, typed = [], checked = [], external, format, chunks } = description;
  rmSync(join(outputFolder, 'dist'), { recursive: true, force: true });
  if (reexports) writeReexports(reexports, outputFolder);
  else {
    const entriesOf = (names) =>
      Object.fromEntries(names.map((name) => [name, join(root, description.entries[name])]));
    if (checked.length > 0) await bundleNodeCheck(root, outputFolder, format);
    const entries = entriesOf(Object.keys(description.entries));
    const exported = await bundle(root, { entries, checked, external, format, chunks, outputFolder });
    if (format === 'cjs') writeFacades(typed, exported, outputFolder);
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
  writeFileSync(join(dist, 'index.cjs'), `module.exports = require('${target}');\n`);
}

/** Writes an ES module for each entry that is a CommonJS module: both have the same classes. */
function writeFacades(entries, exported, outputFolder) {
  for (const entry of entries) {
    const names = exported.get(entry).join(', ');
    const text = `import entry from './${entry}.cjs';\nexport const { ${names} } = entry;\n`;
    writeFileSync(join(outputFolder, 'dist', `${entry}.js`), text);
  }
}
