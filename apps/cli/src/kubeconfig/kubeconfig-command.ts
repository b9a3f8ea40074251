import { join } from 'node:path';
import { didYouMean, OperatorError } from '@annex/runtime';
import { readCommandLine } from '../command-line.ts';
import { findDataDir } from '../data-dir.ts';
import { kubeconfigOptions } from '../kubeconfig-options.ts';
import { reportErrors, reportInvalidCommandLine } from '../report-errors.ts';
import { contextName } from './kubeconfig-text.ts';
import { mergeContext, removeContext, userKubeconfig } from './user-kubeconfig.ts';

const actions = ['merge', 'remove'];

/** `annex kubeconfig`: adds or removes the context of Annex. Resolves to the exit code. */
export async function runKubeconfig(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const syntax = {
    usage: 'annex kubeconfig merge|remove [options]',
    options: kubeconfigOptions,
    words: { min: 1, max: 1 },
  };
  const line = readCommandLine(syntax, argv, env);
  if ('exitCode' in line) return line.exitCode;
  const [action = ''] = line.words;
  if (!actions.includes(action)) {
    const hint = didYouMean(action, actions);
    return reportInvalidCommandLine([
      new OperatorError(
        'ARGUMENT_UNEXPECTED',
        `${JSON.stringify(action)} is neither merge nor remove${hint}; usage: ${syntax.usage}`,
      ),
    ]);
  }
  const admin = join(line.config.dataDir ?? findDataDir(env), 'admin.kubeconfig');
  const file = userKubeconfig(env, admin);
  try {
    await (action === 'merge' ? mergeContext(file, admin) : removeContext(file));
  } catch (error) {
    return reportErrors([error]);
  }
  const what = action === 'merge' ? `is the current context of` : 'is removed from';
  process.stdout.write(`"${contextName}" ${what} ${file}\n`);
  return 0;
}
