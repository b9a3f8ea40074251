import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { ascii } from './ascii.mjs';
import { builtinModules } from './builtin-modules.mjs';
import { thirdPartyLicenses } from './licenses.mjs';
import { outsideFiles } from './outside-files.mjs';

/** The oldest syntax that callers may run: `using` becomes calls. */
const target = 'node22';

/** The syntax of {@link bundleNodeCheck}: every Node that has ES modules reads it. */
const checkTarget = 'node14';

/**
 * Bundles the entries of a package with all code of this repository, and with the libraries that it does not declare as dependencies.
 * Writes modules of the format `es` or `cjs` into `dist` of the output folder. `checked` names the entries that check the version of
 * Node first. Resolves to the names that each entry exports.
 */
export async function bundle(root, { entries, checked, external, format = 'es', chunks = [], outputFolder }) {
  const build = await rolldown({
    cwd: root,
    input: entries,
    platform: 'node',
    external: external.map((name) => new RegExp(`^${name}(?:/|$)`)),
    transform: { target },
    plugins: [
      ...(format === 'es' ? [builtinModules()] : []),
      outsideFiles(root, outputFolder, extensions[format]),
      thirdPartyLicenses(outputFolder),
      ascii(),
    ],
  });
  const { output } = await build.write({
    ...outputOf(outputFolder, format),
    // Modules are evaluated in the order of their imports.
    banner: ({ isEntry, name }) => (isEntry && checked.includes(name) ? nodeChecks[format] : ''),
    sourcemap: 'hidden',
    codeSplitting: { groups: chunks.map((chunk, i) => groupOf(root, chunk, chunks.length - i)) },
  });
  await build.close();
  return new Map(output.filter(({ isEntry }) => isEntry).map(({ name, exports }) => [name, exports]));
}

/** The modules that no earlier chunk has, with all that they import. */
const groupOf = (root, { name, modules }, priority) => {
  const files = new Set(modules.map((module) => join(root, module)));
  return { name, test: (id) => files.has(id), priority };
};

const extensions = { es: 'js', cjs: 'cjs' };
const nodeChecks = { es: "import './require-node.js';", cjs: "require('./require-node.cjs');" };

/** Writes `node-version` and `require-node` into `dist`: they run before other code is loaded, on any Node. */
export async function bundleNodeCheck(root, outputFolder, format = 'es') {
  const build = await rolldown({
    cwd: root,
    input: ['libs/runtime/src/node-version.ts', 'libs/runtime/src/require-node.ts'],
    platform: 'node',
    transform: { target: checkTarget },
  });
  // Node prints the line of an error that nobody catches: it must not be the whole file.
  await build.write({ ...outputOf(outputFolder, format), minify: false });
  await build.close();
}

const outputOf = (dir, format) => ({
  dir,
  format,
  entryFileNames: `dist/[name].${extensions[format]}`,
  chunkFileNames: `dist/[name]-[hash].${extensions[format]}`,
  // Names are kept for stack traces of the watchdog and of unexpected errors.
  minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
});
