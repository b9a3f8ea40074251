import { fileURLToPath } from 'node:url';
import { findTool, requireTools } from '@annex/testkit';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Suites that start Annex with the runner in `ANNEX_RUNNER`, and run with both runners. Other suites would pass on separate processes too,
 * but exercise nothing there that these do not: starting eight processes takes as long as most suites.
 */
const onBoth = [
  'controllers',
  'controllers-quota',
  // The extension server of the SDK keeps the same promises; it stands in for the Go program where that cannot be built.
  findTool('go') === undefined ? 'aggregation-sample-extension' : 'aggregation-sample-apiserver',
  'hostile-input-identity',
  'hostile-input-names',
  'attacks-on-identity',
  'one-reading',
  'attacks-on-connections',
  'attacks-of-webhooks',
  'attacks-of-etcd',
  'trace',
];

// One suite runs on separate processes with etcd instead of object-storage, if etcd is installed.
const basics = ['suites/kubectl-basics.e2e.ts'];
const onEtcd = requireTools('the suites on etcd', 'etcd');
const runners: Readonly<Record<string, string[]>> = {
  single: ['suites/**/*.e2e.ts', 'suites/**/*.test.ts', 'runners/**/*.test.ts'],
  processes: [...onBoth.map((name) => `suites/${name}.e2e.ts`), ...(onEtcd ? [] : basics)],
  ...(onEtcd ? { etcd: basics } : {}),
};
const { ANNEX_RUNNER: chosen } = process.env;

/** The longest suites. They start first, because nothing runs beside a long suite that starts last. */
const longest = [
  'recordings-on-processes',
  'clients-controllers',
  'killed-services',
  'interrupted-work',
  'clients-kubectl',
  'killed-definitions',
  'compose-runner',
  'durability',
  'guides',
  'published-packages',
  'migrate',
  'separate-processes',
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const index = longest.findIndex((name) => moduleId.includes(`/${name}.`));
      return index < 0 ? longest.length : index;
    };
    return (await super.sort(files)).toSorted((a, b) => place(a) - place(b));
  }
}

// Suites start processes and often wait for them: four concurrent suites keep two processors busy beside the other tasks of `npm test`. More of
// them would cost more: what waits asks again and again.
export default defineConfig({
  test: {
    root: import.meta.dirname,
    // Ends tests that hang, but not tests that are slow because others use the processors.
    testTimeout: 450_000,
    hookTimeout: 450_000,
    maxWorkers: 4,
    // Suites keep nothing in memory for other suites, so each worker loads the code once.
    isolate: false,
    // Node loads TypeScript itself. Vite would take longer, and no suite needs its transformations.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    sequence: { sequencer: LongestFirst },
    // Processes that run TypeScript of this repository compile it once.
    env: { NODE_COMPILE_CACHE: fileURLToPath(new URL('../../node_modules/.cache/annex', import.meta.url)) },
    globalSetup: ['runners/build.setup.ts', 'runners/keys.setup.ts'],
    setupFiles: ['runners/failure-output.setup.ts'],
    projects: Object.entries(runners)
      .filter(([name]) => chosen === undefined || chosen === name)
      .map(([name, include]) => ({
        extends: true as const,
        test: { name, include, env: { ANNEX_RUNNER: name } },
      })),
  },
});
