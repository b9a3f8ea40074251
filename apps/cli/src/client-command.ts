import { Client, ClientConfigError, loadKubeconfig } from '@annex/client';
import { StatusError } from '@annex/machinery';
import type { OptionsTable, Validated } from '@annex/runtime';
import { type CommandSyntax, readCommandLine } from './command-line.ts';
import { reportErrors } from './report-errors.ts';

/** What every command needs that talks to a running server. */
export interface ClientCommandConfig {
  kubeconfig: string;
  context: string | undefined;
  server: string | undefined;
}

/** The options of {@link ClientCommandConfig}. */
export const clientCommandOptions: OptionsTable<ClientCommandConfig> = {
  kubeconfig: {
    flag: 'kubeconfig',
    env: 'KUBECONFIG',
    type: 'path',
    default: '.annex/admin.kubeconfig',
    help: 'How to reach the server, and as whom.',
  },
  context: {
    flag: 'context',
    type: 'string',
    help: 'The context of the kubeconfig; its current one by default.',
  },
  server: {
    flag: 'server',
    type: 'string',
    help: 'The URL of the server, where it is not the one of the kubeconfig.',
  },
};

/** A command of `annex` that talks to a running server. */
export interface ClientCommand<C extends ClientCommandConfig> extends CommandSyntax<C> {
  /** Resolves to the exit code. Errors of the server and of the operator are told as they are. */
  run(client: Client, config: Validated<C>, words: readonly string[]): Promise<number>;
}

/** Runs such a command: its words, then its options. Resolves to the exit code. */
export async function runClientCommand<C extends ClientCommandConfig>(
  command: ClientCommand<C>,
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<number> {
  const line = readCommandLine(command, argv, env);
  if ('exitCode' in line) return line.exitCode;
  const { config, words } = line;
  return await withClient(config, (client) => command.run(client, config, words));
}

/** Writes a text and a line break to standard output. Resolves when they have left the process, which may end then. */
export const print = (text: string): Promise<void> =>
  new Promise((resolve) => process.stdout.write(`${text}\n`, () => resolve()));

async function withClient(
  { context, kubeconfig, server }: ClientCommandConfig,
  run: (client: Client) => Promise<number>,
): Promise<number> {
  let client: Client | undefined;
  try {
    const config = await loadKubeconfig(kubeconfig, context === undefined ? {} : { context });
    if (server !== undefined && !URL.canParse(server))
      throw new ClientConfigError(`--server: ${server} is no URL`);
    client = new Client({ userAgent: 'annex', ...config, ...(server === undefined ? {} : { server }) });
    return await run(client);
  } catch (error) {
    const notified =
      error instanceof StatusError || error instanceof ClientConfigError || isNetworkError(error);
    return reportErrors([notified ? (error as Error).message : error]);
  } finally {
    client?.close();
  }
}

/** The server cannot be reached: no fault of the program. */
const isNetworkError = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && /^E[A-Z]+$/.test(error.code);
