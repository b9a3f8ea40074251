import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const libraryPattern = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/;

/** A plugin that writes the licenses of all bundled libraries into `THIRD-PARTY-LICENSES.txt`. */
export function thirdPartyLicenses(outputFolder) {
  return {
    name: 'third-party-licenses',
    writeBundle(_options, bundle) {
      const modules = Object.values(bundle).flatMap(({ moduleIds = [] }) => moduleIds);
      const folders = new Set(modules.flatMap((id) => libraryPattern.exec(id)?.[0] ?? []));
      if (folders.size === 0) return;
      const texts = [...folders].sort().map(licenseOf);
      writeFileSync(join(outputFolder, 'THIRD-PARTY-LICENSES.txt'), texts.join(`\n${'-'.repeat(80)}\n\n`));
    },
  };
}

function licenseOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  const text = file === undefined ? '' : readFileSync(join(folder, file), 'utf8');
  return `${name} ${version} (${license})\n\n${text}`;
}
