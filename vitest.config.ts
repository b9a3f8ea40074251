import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{libs,apps,bench,conformance}/**/src/**/*.test.ts'],
    testTimeout: 20_000,
    pool: 'forks',
    maxWorkers: 2,
  },
});
