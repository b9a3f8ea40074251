import type { Client, ClientConfig } from '@annex/client';
import { stringifyJson } from '@annex/machinery';
import { OperatorError, readTextFile } from '@annex/runtime';
import { decodeConfiguration, explainPod, loadPlugins } from '@annex/scheduler';
import { type ClientCommand, print, runClientCommand } from '../client-command.ts';
import { type WhyPendingConfig, whyPendingOptions } from '../why-pending-options.ts';
import { attemptsOf } from './attempts-of.ts';
import { attemptTree } from './attempt-tree.ts';
import { explanationText } from './explanation-text.ts';

const command: ClientCommand<WhyPendingConfig> = {
  usage: 'annex why-pending POD [options]',
  options: whyPendingOptions,
  words: { min: 1, max: 1 },
  refuse: ([pod = '']) =>
    pod.includes('/')
      ? `${JSON.stringify(pod)} is not the name of a Pod; --namespace selects its namespace`
      : undefined,
  run: explain,
};

/** `annex why-pending`: explains what the scheduler would decide about a Pod. Resolves to the exit code. */
export const runWhyPending = (argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> =>
  runClientCommand(command, argv, env);

async function explain(
  client: Client,
  options: WhyPendingConfig,
  [pod = '']: readonly string[],
  access: ClientConfig,
): Promise<number> {
  const { namespace, config: file, output, plugin } = options;
  const config =
    file === undefined ? undefined : await decodeConfiguration(await readTextFile(file)).catch(refuse);
  const plugins = await loadPlugins(plugin);
  const [explanation, attempts] = await Promise.all([
    explainPod(client, { namespace, name: pod, config, plugins }),
    attemptsOf(client, access, options, pod),
  ]);
  const text = () => [explanationText(explanation), ...attempts.map(attemptTree)].join('\n\n');
  await print(output === 'json' ? stringifyJson({ ...explanation, attempts }, 2) : text());
  return 0;
}

function refuse(error: Error): never {
  throw new OperatorError('SCHEDULER_CONFIGURATION_INVALID', error.message, { cause: error });
}
