import { fileURLToPath } from 'node:url';
import { requireTools } from '@annex/testkit';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { suitesOfSharedSingle } from './suites/shared-single.ts';

/** Suites that run other suites on one server. */
const shared = { single: 'suites/shared-single.e2e.ts', processes: 'suites/shared-processes.e2e.ts' };
/** Suites that run only on separate processes, which they share. */
const onlyShared = ['suites/recordings-on-processes.e2e.ts', 'suites/attacks-on-apps.e2e.ts'];

/**
 * Suites that run with both runners, and whose options no other suite has. Other suites would pass on separate processes too, but exercise
 * nothing there that these and the shared ones do not: starting eight processes takes as long as most suites.
 */
const onBoth = [
  'hostile-input-names',
  'attacks-on-identity',
  'attacks-of-webhooks',
  'attacks-of-etcd',
  'egress-selector',
];

// One suite runs on separate processes with etcd instead of object-storage, if etcd is installed.
const onEtcd = requireTools('the suites on etcd', 'etcd');
const { ANNEX_RUNNER: chosen } = process.env;

// Where the runner `single` is chosen, each suite starts its own server, and the guides use the checkout. Otherwise, the suite of the packages
// runs the guides with what users install.
const otherwiseShared = [...suitesOfSharedSingle, 'guides'].map((name) => `suites/${name}.e2e.ts`);
const onSharedSingle = chosen === 'single' ? [] : otherwiseShared;
const runners: Readonly<Record<string, { include: string[]; exclude?: string[] }>> = {
  single: {
    include: ['suites/**/*.e2e.ts', '{suites,runners,faults}/**/*.test.ts'],
    exclude: [...Object.values(shared), ...onlyShared, ...onSharedSingle],
  },
  processes: { include: onBoth.map((name) => `suites/${name}.e2e.ts`) },
  // Informers, leader election and controllers, while replicas are killed and restarted.
  replicas: { include: ['suites/clients-controllers.e2e.ts'] },
  'shared-single': { include: [shared.single] },
  'shared-processes': { include: [shared.processes] },
  ...(onEtcd ? { etcd: { include: ['suites/kubectl-basics.e2e.ts'] } } : {}),
};

/** The longest suites. They start first, because nothing runs beside a long suite that starts last. */
const longest = [
  'published-packages',
  'shared-processes',
  'shared-single',
  'clients-controllers',
  'killed-services',
  'stuck-process',
  'interrupted-work',
  'clients-kubectl',
  'killed-definitions',
  'compose-runner',
  'faults',
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
      .map(([name, files]) => ({
        extends: true as const,
        test: { name, ...files, env: { ANNEX_RUNNER: name } },
      })),
  },
});
