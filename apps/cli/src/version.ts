import { OperatorError } from '@annex/runtime';
import { annexVersion, versionInfo } from '@annex/server';
import { reportInvalidCommandLine } from './report-errors.ts';

const usage = 'annex version';

/** `annex version`. Returns the exit code. */
export function runVersion([surplus]: readonly string[]): number {
  if (surplus === undefined) return printVersion();
  if (surplus === '--help' || surplus === '-h') {
    process.stdout.write(`Usage: ${usage}\n`);
    return 0;
  }
  const message = `unexpected argument ${JSON.stringify(surplus)}; usage: ${usage}`;
  return reportInvalidCommandLine([new OperatorError('ARGUMENT_UNEXPECTED', message)]);
}

/** Prints the versions of Annex, of the kube-apiserver that it behaves as, and of Node. Returns the exit code. */
export function printVersion(): number {
  process.stdout.write(
    `annex ${annexVersion}\nKubernetes ${versionInfo.gitVersion}\nNode ${process.version}\n`,
  );
  return 0;
}
