import type { AddressInfo, Server, Socket } from 'node:net';
import { loadKubeconfig } from '@annex/client';
import {
  createLogger,
  DestinationRules,
  listenError,
  type LogLevel,
  OperatorError,
  type ProcessDescription,
  readOptionFile,
  runProcess,
  startupValues,
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
    const log = createLogger({ level: config.logLevel as LogLevel | 'off', format: config.logFormat });
    log.info('starting socks', startupValues(socksOptions, config));
    const { credentialsFile: file, maxConnections } = config;
    const accounts = file === undefined ? undefined : await readAccounts(file);
    const rules = readRules([...(await serverOf(config.kubeconfig)), ...config.allowDestinations]);
    const server = createSocksServer({ rules, accounts, maxConnections, log });
    const sockets = new Set<Socket>();
    server.on('connection', (socket: Socket) => {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
    });
    await listen(server, config);
    return { about: urlOf(server), stop: () => stop(server, sockets) };
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

async function listen(server: Server, { bindAddress: host, port }: SocksConfig): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => reject(listenError(cause, host, port)));
    server.listen({ host, port }, resolve);
  });
}

function urlOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo;
  return `socks5://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

/** Connections have no end of their own, so they are cut. */
async function stop(server: Server, sockets: ReadonlySet<Socket>): Promise<readonly Error[]> {
  const closed = new Promise((resolve) => server.close(resolve));
  for (const socket of sockets) socket.destroy();
  await closed;
  return [];
}
