import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { OperatorError } from '@annex/runtime';
import { annexVersion } from '@annex/server';
import { readCommandLine } from '../command-line.ts';
import { envtestOptions } from '../envtest-options.ts';
import { reportErrors } from '../report-errors.ts';
import { programsDigest, writePrograms } from './programs.ts';

/**
 * `annex envtest`: writes a folder with the programs that envtest starts, and prints its path: `KUBEBUILDER_ASSETS=$(annex envtest)`.
 * Resolves to the exit code.
 */
export async function runEnvtest(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const syntax = { usage: 'annex envtest', options: envtestOptions, words: { min: 0, max: 0 } };
  const line = readCommandLine(syntax, argv, env);
  if ('exitCode' in line) return line.exitCode;
  const command = { node: process.execPath, script: resolve(process.argv[1] ?? '') };
  const dir = resolve(line.config.dir ?? defaultDir(env, programsDigest(command)));
  try {
    await writePrograms(dir, command, env.PATH ?? '');
  } catch (cause) {
    const { message } = cause as Error;
    return reportErrors([
      new OperatorError('DATA_DIR_UNUSABLE', `cannot write ${dir}: ${message}`, { cause }),
    ]);
  }
  process.stdout.write(`${dir}\n`);
  return 0;
}

/** Each installation has a folder, so that two of them do not overwrite each other's programs. */
function defaultDir(env: NodeJS.ProcessEnv, digest: string): string {
  const caches = env.XDG_CACHE_HOME || join(homedir(), '.cache');
  return join(caches, 'annex', 'envtest', `${annexVersion}-${process.platform}-${process.arch}-${digest}`);
}
