import { spawn } from 'node:child_process';

/** What a command printed, and how it ended. */
export interface Printed {
  code: number;
  /** Its standard output. */
  output: string;
  /** Both streams joined. */
  text: string;
}

/** Runs a command to its end, whatever that is. */
export function runCommand(
  command: string,
  args: readonly string[],
  options: { env: NodeJS.ProcessEnv; timeout: number; input?: string },
): Promise<Printed> {
  const { env, timeout, input = '' } = options;
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env, timeout });
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
}
