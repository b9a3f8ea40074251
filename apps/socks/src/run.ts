import { createLiveFiles, listen, type ProcessDescription, runProcess, startupLog } from '@annex/runtime';
import { liveAccounts, liveRules } from './live-setting.ts';
import { type SocksConfig, socksConflicts, socksOptions } from './options.ts';
import { createSocksServer } from './socks-server.ts';

/** The process of the SOCKS5 proxy. */
const socksProgram = {
  name: 'socks',
  usage: 'annex socks [options]',
  options: socksOptions,
  conflicts: socksConflicts,
  async start(config) {
    const log = startupLog('socks', socksOptions, config);
    const files = createLiveFiles(log);
    const { credentialsFile, maxConnections } = config;
    const accounts = credentialsFile === undefined ? undefined : await liveAccounts(credentialsFile, files);
    const rules = await liveRules(config, files, log);
    const server = createSocksServer({ rules, accounts, maxConnections, log });
    const listening = await listen(server, { host: config.bindAddress, port: config.port });
    const stop = () => {
      files.close();
      // Connections have no end of their own, so they are cut.
      return listening.end().then(() => []);
    };
    return { about: `socks5://${listening.address}`, stop };
  },
} satisfies ProcessDescription<SocksConfig>;

/** The main function of `annex socks`. Resolves to the exit code. */
export const runSocks = (argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> =>
  runProcess<SocksConfig>(socksProgram, argv, env);
