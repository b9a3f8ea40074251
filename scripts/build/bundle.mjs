import { rolldown } from 'rolldown';
import { builtinModules } from './builtin-modules.mjs';
import { thirdPartyLicenses } from './licenses.mjs';
import { outsideFiles } from './outside-files.mjs';

/** The oldest syntax that callers may run: `using` becomes calls. */
const target = 'node22';

/** The syntax of {@link bundleNodeCheck}: every Node that has ES modules reads it. */
const checkTarget = 'node14';

/**
 * Bundles the entries of a package with all code of this repository, and with the libraries that it does not declare as dependencies.
 * Writes ES modules into `dist` of the output folder. `checked` names the entries that check the version of Node first.
 */
export async function bundle(root, { entries, checked, external, outputFolder }) {
  const build = await rolldown({
    cwd: root,
    input: entries,
    platform: 'node',
    external: external.map((name) => new RegExp(`^${name}(?:/|$)`)),
    transform: { target },
    plugins: [builtinModules(), outsideFiles(root, outputFolder), thirdPartyLicenses(outputFolder)],
  });
  await build.write({
    ...outputOf(outputFolder),
    // Modules are evaluated in the order of their imports.
    banner: ({ isEntry, name }) => (isEntry && checked.includes(name) ? "import './require-node.js';" : ''),
    sourcemap: 'hidden',
  });
  await build.close();
}

/** Writes `node-version.js` and `require-node.js` into `dist`: they run before other code is loaded, on any Node. */
export async function bundleNodeCheck(root, outputFolder) {
  const build = await rolldown({
    cwd: root,
    input: ['libs/runtime/src/node-version.ts', 'libs/runtime/src/require-node.ts'],
    platform: 'node',
    transform: { target: checkTarget },
  });
  await build.write(outputOf(outputFolder));
  await build.close();
}

const outputOf = (dir) => ({
  dir,
  format: 'esm',
  entryFileNames: 'dist/[name].js',
  chunkFileNames: 'dist/[name]-[hash].js',
  // Names are kept for stack traces of the watchdog and of unexpected errors.
  minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
});
