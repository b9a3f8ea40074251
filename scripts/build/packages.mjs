/**
 * The packages that npm users install. All other packages of this repository are bundled into them.
 *
 * `folder` contains the package.json; `entries` are the modules of `dist`, by name; `external` contains the libraries that the package
 * depends on, with the versions of the lock file. All other libraries are bundled.
 */
export const packages = [
  {
    name: 'annex',
    folder: 'apps/cli',
    entries: { main: 'src/main.ts' },
    // LMDB is native. pino and prom-client are loaded by `require` on demand.
    external: ['lmdb', 'pino', 'prom-client'],
  },
];
