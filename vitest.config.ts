import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    // The tests of all packages that need no running processes.
    include: ['{{libs,apps,examples}/*,conformance,bench,fuzz}/src/**/*.test.ts'],
    // What hangs ends here; what is slow because others use the processors does not.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 20_000 } },
    pool: 'forks',
    // Loading the code anew for each file takes longer than all tests: no test leaves anything behind for another.
    isolate: false,
    maxWorkers: 2,
    // Node loads TypeScript itself. Vite would take longer, and no test needs its transformations.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // Threads and processes of tests find the code that the installation has compiled.
    env: { NODE_COMPILE_CACHE: fileURLToPath(new URL('node_modules/.cache/annex', import.meta.url)) },
    // Where imports that run side by side reach a part of it first, Node 24 leaves `tls` without createSecureContext.
    execArgv: ['--require=node:tls'],
  },
});
