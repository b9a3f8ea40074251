import { createMetrics, type ProcessDescription, runProcess, startupLog } from '@annex/runtime';
import { tuneHeapGrowth } from '@annex/tunnel';
import { createKonnectivityAgent } from './app.ts';
import {
  konnectivityAgentConflicts,
  type KonnectivityAgentConfig,
  konnectivityAgentOptions,
  upstreamAgentFlags,
} from './options.ts';

/** The process of a Konnectivity agent. */
const konnectivityAgentProgram = {
  name: 'konnectivity-agent',
  usage: 'annex konnectivity-agent [options]',
  options: konnectivityAgentOptions,
  conflicts: konnectivityAgentConflicts,
  foreign: {
    program: 'proxy-agent',
    flags: upstreamAgentFlags,
  },
  async start(config) {
    const log = startupLog('konnectivity-agent', konnectivityAgentOptions, config);
    const app = createKonnectivityAgent({ log, metrics: createMetrics() }, config);
    await app.start();
    tuneHeapGrowth();
    return { about: app.health, stop: () => app.stop() };
  },
} satisfies ProcessDescription<KonnectivityAgentConfig>;

/** The main function of `annex konnectivity-agent`. Resolves to the exit code. */
export const runKonnectivityAgent = (argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> =>
  runProcess<KonnectivityAgentConfig>(konnectivityAgentProgram, argv, env);
