/**
 * The packages that npm users install. All other packages of this repository are bundled into them.
 *
 * - `folder` has the package.json and the README of the package.
 * - `entries` are the modules in `dist`, by name. Those in `typed` get declarations, and are exported.
 * - `checked` are the entries that fail on a Node that is not supported. The command checks it, too, and prints the error.
 * - `format` is that of the modules: `es`, or `cjs` with an ES module for each entry.
 * - `chunks` are modules that are loaded together, with what they import: reading many files takes time at the start.
 * - `external` are libraries that the package depends on, in the versions of the lock file. All others are bundled.
 * - `reexports` names the export of `annex` that the package consists of. An extension server and the test that starts it share
 *   classes such as StatusError, so there is one copy of their code.
 */
export const packages = [
  {
    name: 'annex',
    folder: 'apps/cli',
    entries: {
      main: 'apps/cli/src/main.ts',
      sdk: 'libs/sdk/src/index.ts',
      testing: 'apps/testing/src/index.ts',
      scheduler: 'apps/scheduler/src/published.ts',
    },
    typed: ['sdk', 'testing', 'scheduler'],
    checked: ['sdk', 'testing', 'scheduler'],
    // Node's loader of ES modules takes 25 ms of a start.
    format: 'cjs',
    chunks: [
      { name: 'storage', modules: ['apps/cli/src/envtest/etcd.ts'] },
      // Requests in protobuf need it without etcd.
      { name: 'protobuf', modules: ['node_modules/protobufjs/minimal.js'] },
      {
        name: 'etcd',
        modules: ['libs/storage/src/etcd/etcd-server.ts', 'libs/storage/src/etcd/etcd-store.ts'],
      },
    ],
    // LMDB is native. pino and prom-client are loaded by `require`, when they are needed.
    external: ['lmdb', 'pino', 'prom-client'],
  },
  { name: '@annex/sdk', folder: 'libs/sdk', reexports: 'annex/sdk' },
  { name: '@annex/testing', folder: 'apps/testing', reexports: 'annex/testing' },
  { name: '@annex/scheduler', folder: 'apps/scheduler', reexports: 'annex/scheduler' },
  {
    name: '@annex/client',
    folder: 'libs/client',
    entries: { index: 'libs/client/src/index.ts' },
    typed: ['index'],
    checked: ['index'],
    external: [],
  },
  {
    name: '@annex/cel',
    folder: 'libs/cel',
    entries: { index: 'libs/cel/src/index.ts' },
    typed: ['index'],
    external: ['re2js'],
  },
  {
    name: 'create-annex',
    folder: 'apps/create-annex',
    entries: { main: 'apps/create-annex/src/main.ts' },
    checked: ['main'],
    external: [],
  },
];
