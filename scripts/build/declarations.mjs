import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { rollup } from 'rollup';
import { dts } from 'rollup-plugin-dts';
import { run } from '../nx/run.js';

/** The folder of the declarations that {@link emitDeclarations} writes. */
const declared = (root) => join(root, '.cache', 'types');

/** Writes a declaration file for each source file of all packages. */
export async function emitDeclarations(root) {
  const compiler = join(root, 'node_modules', 'typescript-7', 'bin', 'tsc');
  const { code, output } = await run(root, process.execPath, [compiler, '-p', 'tsconfig.types.json']);
  if (code !== 0) throw new Error(output);
}

/** Bundles the declarations of entries with those of all packages of this repository that they use. */
export async function bundleDeclarations(root, { entries, outputFolder }) {
  const input = Object.entries(entries).map(([name, file]) => [name, declarationOf(root, file)]);
  const build = await rollup({
    input: Object.fromEntries(input),
    // The types of a package use only those of Node and of its dependencies.
    external: (id) => !/^\.|^\/|^@annex\//.test(id),
    plugins: [ownDeclarations(root), dts({ tsconfig: join(root, 'tsconfig.types.json') })],
  });
  await build.write({
    dir: join(outputFolder, 'dist'),
    format: 'es',
    entryFileNames: '[name].d.ts',
    chunkFileNames: 'shared-[hash].d.ts',
  });
  await build.close();
}

const declarationOf = (root, file) =>
  join(declared(root), file.slice(root.length + 1).replace(/\.ts$/, '.d.ts'));

/** Finds the declarations of `./x.ts` and of `@annex/x`. */
function ownDeclarations(root) {
  return {
    name: 'own-declarations',
    resolveId(specifier, importer) {
      if (importer === undefined) return null;
      if (/^\.\.?\/.*\.ts$/.test(specifier) && !specifier.endsWith('.d.ts'))
        return join(importer, '..', specifier.replace(/\.ts$/, '.d.ts'));
      const [, name, path = 'index'] = /^@annex\/([a-z-]+)(?:\/([a-z-]+))?$/.exec(specifier) ?? [];
      if (name === undefined) return null;
      const folder = realpathSync(join(root, 'node_modules', '@annex', name));
      return declarationOf(root, join(folder, 'src', `${path}.ts`));
    },
  };
}
