import { rolldown } from 'rolldown';
import { thirdPartyLicenses } from './licenses.mjs';
import { outsideFiles } from './outside-files.mjs';

/** The oldest syntax that callers may run: `using` becomes calls. */
const target = 'node22';

/**
 * Bundles the entries of a package with all code of this repository, and with the libraries that it does not declare as dependencies.
 * Writes ES modules into `dist` of the output folder.
 */
export async function bundle(root, { entries, external, outputFolder }) {
  const build = await rolldown({
    cwd: root,
    input: entries,
    platform: 'node',
    external: external.map((name) => new RegExp(`^${name}(?:/|$)`)),
    transform: { target },
    plugins: [outsideFiles(root, outputFolder), thirdPartyLicenses(outputFolder)],
  });
  await build.write({
    dir: outputFolder,
    format: 'esm',
    entryFileNames: 'dist/[name].js',
    chunkFileNames: 'dist/[name]-[hash].js',
    sourcemap: 'hidden',
    // Names are kept for stack traces of the watchdog and of unexpected errors.
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
  });
  await build.close();
}
