import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{libs,apps,bench,conformance,fuzz}/**/src/**/*.test.ts'],
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
  },
});
