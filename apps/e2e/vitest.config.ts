import { requireTools } from '@annex/testkit';
import { defineConfig } from 'vitest/config';

/** Suites that start Annex as `ANNEX_RUNNER` says: they must pass however it runs. */
const onBoth = [
  'kubectl-basics',
  'clients-typed',
  'controllers',
  'controllers-quota',
  'aggregation-hello-extension',
  'aggregation-sample-apiserver',
  'aggregation-sample-extension',
  'hostile-input-identity',
  'hostile-input-paths',
  'attacks-on-identity',
  'attacks-on-extensions',
  'attacks-in-frames',
  'migrate',
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
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    projects: Object.entries(runners)
      .filter(([name]) => chosen === undefined || chosen === name)
      .map(([name, include]) => ({
        extends: true as const,
        test: { name, include, env: { ANNEX_RUNNER: name } },
      })),
  },
});
