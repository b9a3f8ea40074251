import { readFile } from 'node:fs/promises';
import type { Client } from '@annex/client';
import { OperatorError } from '@annex/runtime';
import type { ProxyClientCertificate } from '@annex/http';
import { type CheckConfig, checkConflicts, checkOptions } from '../check-options.ts';
import { type ClientCommand, type ClientCommandConfig, runClientCommand } from '../client-command.ts';
import { apiServiceSteps } from './api-service-steps.ts';
import { type Result, runSteps } from './finding.ts';
import { jsonReport, passed, textReport } from './report.ts';

const command: ClientCommand<CheckConfig> = {
  usage: 'annex check apiservice NAME [options]',
  options: checkOptions,
  conflicts: checkConflicts,
  words: { min: 2, max: 2 },
  refuse: ([what = '']) =>
    what === 'apiservice' ? undefined : `cannot check ${JSON.stringify(what)}, only an apiservice`,
  async run(client, config, [, name = '']) {
    const results = await checkApiService(client, name, config);
    process.stdout.write((config.output === 'json' ? jsonReport : textReport)(name, results));
    return passed(results) ? 0 : 1;
  },
};

/** `annex check`: reports which step of a set-up fails. Resolves to the exit code: 1 if a step fails. */
export const runCheck = (argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> =>
  runClientCommand(command, argv, env);

/** Checks the set-up of an extension API server. Throws if the API server cannot be reached. */
export async function checkApiService(
  client: Client,
  name: string,
  config: Omit<CheckConfig, 'output' | keyof ClientCommandConfig>,
): Promise<Result[]> {
  // Without an API server, no step has a result.
  await client.send({ path: '/version', timeoutMs: config.timeout });
  return await runSteps(apiServiceSteps, {
    client,
    name,
    timeoutMs: config.timeout,
    extensionUser: config.extensionUser,
    proxyClient: await readProxyClient(config),
    endpoints: [],
    podUsers: new Set<string>(),
  });
}

async function readProxyClient({
  proxyClientCertFile,
  proxyClientKeyFile,
}: Pick<CheckConfig, 'proxyClientCertFile' | 'proxyClientKeyFile'>): Promise<
  ProxyClientCertificate | undefined
> {
  if (proxyClientCertFile === undefined || proxyClientKeyFile === undefined) return undefined;
  const [cert, key] = await Promise.all([proxyClientCertFile, proxyClientKeyFile].map(readOperatorFile));
  return { cert: cert ?? '', key: key ?? '' };
}

const readOperatorFile = (file: string): Promise<string> =>
  readFile(file, 'utf8').catch((cause: Error) => {
    throw new OperatorError('FILE_UNREADABLE', cause.message, { cause });
  });
