import { requireTools } from '@annex/testkit';
import { defineConfig } from 'vitest/config';

/**
 * Suites that start Annex as `ANNEX_RUNNER` says, and are run both ways. Others pass on separate processes too, but go through
 * nothing there that these do not: starting eight processes takes as long as most suites.
 */
const onBoth = [
  'kubectl-basics',
  'controllers',
  'controllers-quota',
  'aggregation-sample-apiserver',
  'aggregation-sample-extension',
  'hostile-input-identity',
  'attacks-on-identity',
  'trace',
];

const runners: Readonly<Record<string, string[]>> = {
  single: ['suites/**/*.e2e.ts', 'suites/**/*.test.ts', 'runners/**/*.test.ts'],
  processes: onBoth.map((name) => `suites/${name}.e2e.ts`),
  // Separate processes again, with etcd in the place of object-storage.
  ...(requireTools('the suites on etcd', 'etcd') ? { etcd: ['suites/kubectl-basics.e2e.ts'] } : {}),
};
const { ANNEX_RUNNER: chosen } = process.env;

// Every suite starts processes of its own: two at once are enough for two processors.
export default defineConfig({
  test: {
    root: import.meta.dirname,
    // What hangs ends here; what is slow because others use the processors does not.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    maxWorkers: 2,
    setupFiles: ['runners/failure-output.setup.ts'],
    projects: Object.entries(runners)
      .filter(([name]) => chosen === undefined || chosen === name)
      .map(([name, include]) => ({
        extends: true as const,
        test: { name, include, env: { ANNEX_RUNNER: name } },
      })),
  },
});
