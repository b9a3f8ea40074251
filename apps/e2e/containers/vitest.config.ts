import { defineConfig } from 'vitest/config';

/** Apart from the other suites: it builds an image, which takes minutes and installs packages. */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['*.e2e.ts'],
    // One image, and the memory of one project.
    fileParallelism: false,
    testTimeout: 900_000,
    hookTimeout: 1_800_000,
  },
});
