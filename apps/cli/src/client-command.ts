import { join } from 'node:path';
import { Client, type ClientConfig, loadKubeconfig } from '@annex/client';
import { StatusError } from '@annex/machinery';
import {
  type KubeconfigConfig,
  kubeconfigOptions,
  OperatorError,
  type OptionsTable,
  type Validated,
} from '@annex/runtime';
import { type CommandSyntax, readCommandLine } from './command-line.ts';
import { findDataDir } from './data-dir.ts';
import { reportErrors, reportInvalidCommandLine } from './report-errors.ts';

/** Configuration of commands that connect to a running server. */
export interface ClientCommandConfig extends KubeconfigConfig {
  server: string | undefined;
}

/** The options of {@link ClientCommandConfig}. */
export const clientCommandOptions: OptionsTable<ClientCommandConfig> = {
  ...kubeconfigOptions,
  server: {
    flag: 'server',
    type: 'string',
    help: 'The URL of the server, if it differs from that of the kubeconfig.',
  },
};

/** A command of `annex` that connects to a running server. */
export interface ClientCommand<C extends ClientCommandConfig> extends CommandSyntax<C> {
  /** Returns what is wrong with the words, before a server is needed. */
  refuse?(words: readonly string[]): string | undefined;
  /** Resolves to the exit code. Server errors and operator errors are reported without a stack. */
  run(client: Client, config: Validated<C>, words: readonly string[], access: ClientConfig): Promise<number>;
}

/** Parses the command line and runs the command. Resolves to the exit code. */
export async function runClientCommand<C extends ClientCommandConfig>(
  command: ClientCommand<C>,
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<number> {
  const line = readCommandLine(command, argv, env);
  if ('exitCode' in line) return line.exitCode;
  const { config, words } = line;
  const refused = command.refuse?.(words);
  if (refused !== undefined)
    return reportInvalidCommandLine([
      new OperatorError('ARGUMENT_UNEXPECTED', `${refused}; usage: ${command.usage}`),
    ]);
  return await withClient(config, env, (client, access) => command.run(client, config, words, access));
}

/** Writes a text and a line break to standard output. Resolves when the bytes are flushed, so that the process may end. */
export const print = (text: string): Promise<void> =>
  new Promise((resolve) => process.stdout.write(`${text}\n`, () => resolve()));

async function withClient(
  { context, kubeconfig, server }: ClientCommandConfig,
  env: NodeJS.ProcessEnv,
  run: (client: Client, access: ClientConfig) => Promise<number>,
): Promise<number> {
  let client: Client | undefined;
  try {
    const file = kubeconfig ?? join(findDataDir(env), 'admin.kubeconfig');
    const config = await loadKubeconfig(file, context === undefined ? {} : { context });
    if (server !== undefined && !URL.canParse(server))
      throw new OperatorError('OPTION_VALUE_INVALID', `--server: ${server} is not a URL`);
    const access = { userAgent: 'annex', ...config, ...(server === undefined ? {} : { server }) };
    client = new Client(access);
    return await run(client, access);
  } catch (error) {
    return reportErrors([clientError(error)]);
  } finally {
    client?.close();
  }
}

/** Returns what an operator can fix: errors of the server, and of the connection to it. */
function clientError(error: unknown): unknown {
  if (error instanceof StatusError)
    return new OperatorError('REQUEST_FAILED', error.message, { cause: error });
  if (isConnectionError(error))
    return new OperatorError('SERVER_UNREACHABLE', error.message || String(error.code), { cause: error });
  return error;
}

/** True if the server cannot be reached, its certificate is not trusted, or it does not respond in HTTP. */
const isConnectionError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error &&
  'code' in error &&
  typeof error.code === 'string' &&
  !('path' in error) &&
  /^(?:E[A-Z]+|HPE_\w+|ERR_(?:TLS|SSL|HTTP2?)_\w+|(?:UNABLE|SELF|DEPTH|CERT|HOSTNAME|ERR_OSSL)_\w+)$/.test(
    error.code,
  );
