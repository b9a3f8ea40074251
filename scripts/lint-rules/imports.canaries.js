const layers = 'annex(layers)';
const restricted = 'eslint(no-restricted-imports)';
const undeclared = 'annex(declared-imports)';

/** Texts with an error: the file that has the text, the text, and the rule that must report it; undefined for none. */
export const importCanaries = [
  ['libs/machinery/src/canary-upward.ts', "import '@annex/server';\n", layers],
  ['libs/storage/src/canary-sibling.ts', "import '@annex/client';\n", layers],
  ['libs/cel/src/canary-sibling.ts', "export * from '@annex/schema';\n", layers],
  ['libs/machinery/src/canary-testkit.ts', "await import('@annex/testkit');\n", layers],
  ['apps/discovery/src/canary-app.ts', "import '@annex/crd-registry';\n", layers],
  ['apps/discovery/src/canary-app.test.ts', "import '@annex/crd-registry';\n", layers],
  ['libs/server/src/canary-process.ts', "import '@annex/process';\n", layers],
  ['libs/server/src/canary-relative.ts', "import '../../storage/src/store.ts';\n", layers],
  ['libs/server/src/canary-deep.ts', "import '@annex/storage/src/store.ts';\n", restricted],
  ['libs/server/src/canary-testkit.ts', "import '@annex/testkit';\n", restricted],
  ['libs/server/src/canary-http.ts', "import { get } from 'node:http';\nget('');\n", restricted],
  ['apps/discovery/src/canary-app-testkit.ts', "import '@annex/app-testkit';\n", restricted],
  ['libs/machinery/src/canary-undeclared.ts', "import 'pino';\n", undeclared],
  ['libs/machinery/src/canary-undeclared.test.ts', "import '@annex/runtime';\n", undeclared],
  [
    'libs/server/src/canary-global.ts',
    'export const stack = new AsyncDisposableStack();\n',
    'eslint(no-restricted-globals)',
  ],
  ['libs/server/src/canary-default.ts', 'export default 1;\n', 'annex(named-exports)'],
  ['libs/server/src/canary-star.ts', "export * from './app.ts';\n", 'annex(named-exports)'],
  ['libs/server/src/canary-unused.ts', 'const unused = 1;\n', 'eslint(no-unused-vars)'],
  ['libs/server/src/canary-any.ts', 'export type A = any;\n', 'typescript(no-explicit-any)'],
  [
    'libs/server/src/canary-long.ts',
    `${'export const a = 1;\n'.repeat(1)}${'\n'.repeat(400)}`,
    'eslint(max-lines)',
  ],
  ['libs/server/src/canary-todo.ts', '// TODO: this\nexport const a = 1;\n', 'eslint(no-warning-comments)'],
  [
    'libs/server/src/canary-type.ts',
    "import { App } from './app.ts';\nexport type A = App;\n",
    'typescript(consistent-type-imports)',
  ],
  ['libs/server/src/canary-regex.ts', 'export const a = /(a|a)*$/;\n', 'annex(linear-regex)'],
  [
    'libs/server/src/canary-fine.ts',
    "import type { Server } from 'node:http';\nexport type A = Server;\n",
    undefined,
  ],
];
