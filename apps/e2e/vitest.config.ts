import { defineConfig } from 'vitest/config';

// Every suite starts processes of its own: two at once are enough for two processors.
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['suites/**/*.e2e.ts', 'suites/**/*.test.ts', 'runners/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
});
