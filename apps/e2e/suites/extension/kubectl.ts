import { spawn } from 'node:child_process';
import { type RunningProcess, startProcess } from '@annex/testkit';

/** What a command printed, and how it ended. */
export interface Printed {
  code: number;
  /** Its standard output. */
  output: string;
  /** Both streams joined. */
  text: string;
}

/** kubectl as one user. */
export interface Kubectl {
  /** Runs a command to its end, whatever that is. */
  run(args: readonly string[], input?: string): Promise<Printed>;
  /** Runs a command that must succeed, and returns its standard output. */
  ok(args: readonly string[], input?: string): Promise<string>;
  /** Starts a command that runs until it is stopped. */
  start(args: readonly string[]): Promise<RunningProcess>;
}

const timeoutMs = 30_000;

/** kubectl with a kubeconfig; what it caches is kept in `home`. */
export function kubectlOf(kubeconfig: string, home: string): Kubectl {
  const env = { ...process.env, KUBECONFIG: kubeconfig, HOME: home, KUBECACHEDIR: `${home}/cache` };
  const run = (args: readonly string[], input = ''): Promise<Printed> =>
    new Promise((resolve, reject) => {
      const child = spawn('kubectl', args, { env, timeout: timeoutMs });
      const [output, both]: Buffer[][] = [[], []];
      child.stdout.on('data', (chunk: Buffer) => [output, both].forEach((list) => list?.push(chunk)));
      child.stderr.on('data', (chunk: Buffer) => both?.push(chunk));
      const text = (chunks: Buffer[] = []) => Buffer.concat(chunks).toString();
      child.once('error', reject);
      child.once('close', (code) => resolve({ code: code ?? -1, output: text(output), text: text(both) }));
      // A command that reads nothing may be gone already.
      child.stdin.on('error', () => undefined);
      child.stdin.end(input);
    });
  return {
    run,
    async ok(args, input) {
      const { code, output, text } = await run(args, input);
      if (code !== 0) throw new Error(`kubectl ${args.join(' ')} ended with ${code}:\n${text}`);
      return output;
    },
    start: (args) => startProcess('kubectl', { args, env }),
  };
}
