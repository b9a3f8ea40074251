import { loadKubeconfig } from '@annex/client';
import {
  DestinationRules,
  listen,
  OperatorError,
  type ProcessDescription,
  readOptionFile,
  runProcess,
  startupLog,
  usableFile,
} from '@annex/runtime';
import { Accounts } from './accounts.ts';
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
    const { credentialsFile: file, maxConnections } = config;
    const accounts = file === undefined ? undefined : await readAccounts(file);
    const rules = readRules([...(await serverOf(config.kubeconfig)), ...config.allowDestinations]);
    const server = createSocksServer({ rules, accounts, maxConnections, log });
    const listening = await listen(server, { host: config.bindAddress, port: config.port });
    // Connections have no end of their own, so they are cut.
    return { about: `socks5://${listening.address}`, stop: () => listening.end().then(() => []) };
  },
} satisfies ProcessDescription<SocksConfig>;

/** The main function of `annex socks`. Resolves to the exit code. */
export const runSocks = (argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> =>
  runProcess<SocksConfig>(socksProgram, argv, env);

const readAccounts = async (file: string): Promise<Accounts> => {
  const text = await readOptionFile(file);
  return await usableFile(file, () => new Accounts(text));
};

/** The host and the port of the server of a kubeconfig. */
async function serverOf(kubeconfig: string | undefined): Promise<string[]> {
  if (kubeconfig === undefined) return [];
  const { hostname, port, protocol } = new URL((await loadKubeconfig(kubeconfig)).server);
  return [`${hostname}:${port || (protocol === 'http:' ? 80 : 443)}`];
}

function readRules(texts: readonly string[]): DestinationRules {
  try {
    return new DestinationRules(texts);
  } catch (cause) {
    throw new OperatorError('OPTION_VALUE_INVALID', `--allow-destinations: ${(cause as Error).message}`, {
      cause,
    });
  }
}
