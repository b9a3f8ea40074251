import { createMetrics, type ProcessDescription, runProcess, startupLog } from '@annex/runtime';
import { tuneHeapGrowth } from '@annex/tunnel';
import { createKonnectivityServer } from './app.ts';
import { konnectivityServerConflicts } from './option-conflicts.ts';
import { type KonnectivityServerConfig, konnectivityServerOptions, upstreamServerFlags } from './options.ts';

/** The process of a Konnectivity server. */
const konnectivityServerProgram = {
  name: 'konnectivity-server',
  usage: 'annex konnectivity-server [options]',
  options: konnectivityServerOptions,
  conflicts: konnectivityServerConflicts,
  foreign: {
    program: 'proxy-server',
    flags: upstreamServerFlags,
  },
  async start(config) {
    const log = startupLog('konnectivity-server', konnectivityServerOptions, config);
    const app = createKonnectivityServer({ log, metrics: createMetrics() }, config);
    await app.start();
    tuneHeapGrowth();
    const { frontend, agents, health, admin } = app.addresses;
    return { about: [frontend, agents, health, admin].join(' '), stop: () => app.stop() };
  },
} satisfies ProcessDescription<KonnectivityServerConfig>;

/** The main function of `annex konnectivity-server`. Resolves to the exit code. */
export const runKonnectivityServer = (argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> =>
  runProcess<KonnectivityServerConfig>(konnectivityServerProgram, argv, env);
