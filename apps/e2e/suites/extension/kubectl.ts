import { type RunningProcess, startProcess } from '@annex/testkit';
import { type Printed, runCommand } from '../command.ts';
import { patienceMs } from '../patience.ts';

/** kubectl as one user. */
export interface Kubectl {
  /** Runs a command to its end, whatever that is. */
  run(args: readonly string[], input?: string): Promise<Printed>;
  /** Runs a command that must succeed, and returns its standard output. */
  ok(args: readonly string[], input?: string): Promise<string>;
  /** Starts a command that runs until it is stopped. */
  start(args: readonly string[]): Promise<RunningProcess>;
}

const timeout = 2 * patienceMs;

/** kubectl with a kubeconfig; what it caches is kept in `home`. */
export function kubectlOf(kubeconfig: string, home: string, command = 'kubectl'): Kubectl {
  const env = { ...process.env, KUBECONFIG: kubeconfig, HOME: home, KUBECACHEDIR: `${home}/cache` };
  const run = (args: readonly string[], input?: string) => runCommand(command, args, { env, timeout, input });
  return {
    run,
    async ok(args, input) {
      const { code, output, text } = await run(args, input);
      if (code !== 0) throw new Error(`kubectl ${args.join(' ')} ended with ${code}:\n${text}`);
      return output;
    },
    start: (args) => startProcess(command, { args, env }),
  };
}
