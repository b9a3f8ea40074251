// Builds packages for npm into dist/packages: `node scripts/build/main.mjs [NAME…]`.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '../install.mjs';
import { buildPackage } from './build-package.mjs';
import { emitDeclarations } from './declarations.mjs';
import { copyDependencies } from './dependencies.mjs';
import { packages } from './packages.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    /** Adds node_modules with the installed dependencies, for container images. */
    'with-dependencies': { type: 'boolean', default: false },
    /** Leaves the type declarations out, which take most of the time. */
    'no-types': { type: 'boolean', default: false },
  },
});

if (!values['no-types']) await emitDeclarations(root);
for (const description of packages) {
  if (positionals.length > 0 && !positionals.includes(description.name)) continue;
  const outputFolder = join(root, 'dist', 'packages', description.name);
  await buildPackage(root, description, outputFolder, { types: !values['no-types'] });
  if (values['with-dependencies']) copyDependencies(root, description.external, outputFolder);
}
