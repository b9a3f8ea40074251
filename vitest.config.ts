import { globSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { defineConfig } from 'vitest/config';

/** The folders of all packages whose tests need no running processes, by name. */
const packages = globSync('{{libs,apps,examples}/*,conformance,bench,fuzz}/project.json', {
  cwd: import.meta.dirname,
}).map((file) => ({
  name: (JSON.parse(readFileSync(file, 'utf8')) as { name: string }).name,
  folder: dirname(file),
}));

export default defineConfig({
  test: {
    // What hangs ends here; what is slow because others use the processors does not.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 20_000 } },
    pool: 'forks',
    // Loading the code anew for each file takes longer than all tests: no test leaves anything behind for another.
    isolate: false,
    maxWorkers: 2,
    // Where imports that run side by side reach a part of it first, Node 24 leaves `tls` without createSecureContext.
    execArgv: ['--require=node:tls'],
    projects: packages.map(({ name, folder }) => ({
      extends: true as const,
      test: { name, include: [`${folder}/src/**/*.test.ts`] },
    })),
  },
});
