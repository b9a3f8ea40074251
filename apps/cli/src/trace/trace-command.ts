import type { Client } from '@annex/client';
import { parseJson, stringifyJson } from '@annex/machinery';
import { OperatorError } from '@annex/runtime';
import { type TraceView, tracesPath } from '@annex/server';
import { type ClientCommand, print, runClientCommand } from '../client-command.ts';
import { type TraceConfig, traceConflicts, traceOptions } from '../trace-options.ts';
import { traceLine } from './trace-line.ts';
import { traceTree } from './trace-tree.ts';

const command: ClientCommand<TraceConfig> = {
  usage: 'annex trace [AUDIT-ID] [options]',
  options: traceOptions,
  conflicts: traceConflicts,
  words: { min: 0, max: 1 },
  async run(client, config, [auditId]) {
    if (auditId !== undefined) {
      const [flag] = (['follow', 'last', 'refused'] as const).filter((name) => config[name]);
      if (flag !== undefined)
        throw new OperatorError('OPTION_CONFLICT', `--${flag} cannot be combined with an audit id`);
      return await showOne(client, config, auditId);
    }
    return await (config.follow ? follow(client, config) : showAll(client, config));
  },
};

/** `annex trace`: shows the decisions about requests. Resolves to the exit code. */
export const runTrace = (argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> =>
  runClientCommand(command, argv, env);

async function showOne(client: Client, { output }: TraceConfig, auditId: string): Promise<number> {
  const path = `${tracesPath}/${encodeURIComponent(auditId)}`;
  const { traces } = await client.json<{ traces: TraceView[] }>({ path });
  for (const trace of traces) await print(output === 'json' ? stringifyJson(trace, 2) : traceTree(trace));
  return 0;
}

const query = ({ user }: TraceConfig): string =>
  user === undefined ? '' : `user=${encodeURIComponent(user)}`;

async function showAll(client: Client, config: TraceConfig): Promise<number> {
  const { traces } = await client.json<{ traces: TraceView[] }>({ path: `${tracesPath}?${query(config)}` });
  const selected = traces.filter((trace) => isSelected(trace, config));
  if (config.last) {
    const last = selected.at(-1);
    if (last === undefined) throw new OperatorError('TRACE_MISSING', 'no recent request matches the options');
    return await showOne(client, config, last.auditID);
  }
  for (const trace of selected) await show(trace, config);
  return 0;
}

/** Clients ask for objects that do not exist before they create them, so a 404 is no refusal. Commands like this one are left out. */
const isSelected = ({ request, response }: TraceView, { refused }: TraceConfig): boolean => {
  const isError = response !== undefined && response.code >= 400;
  return refused ? isError && response.code !== 404 : isError || !request.url.startsWith(tracesPath);
};

const show = (trace: TraceView, { output }: TraceConfig): Promise<void> =>
  print(output === 'json' ? stringifyJson(trace) : traceLine(trace));

/** Resolves when the server ends the response, or the process is interrupted. */
async function follow(client: Client, config: TraceConfig): Promise<number> {
  const message = await client.open({ path: `${tracesPath}?watch=true&${query(config)}` });
  if (message.statusCode !== 200) {
    message.destroy();
    // Without following, the same request returns the reason.
    return await showAll(client, config);
  }
  let rest = '';
  for await (const chunk of message.setEncoding('utf8') as AsyncIterable<string>) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const trace = parseJson(line) as unknown as TraceView;
      if (isSelected(trace, config)) await show(trace, config);
    }
  }
  return 0;
}
