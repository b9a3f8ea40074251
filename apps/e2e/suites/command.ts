import { spawn } from 'node:child_process';

/** The output and the exit code of a command. */
export interface Printed {
  code: number;
  /** Its standard output. */
  output: string;
  /** Standard output and standard error. */
  text: string;
}

/** Runs a command until it ends, with any exit code. */
export function runCommand(
  command: string,
  args: readonly string[],
  options: { cwd?: string; env: NodeJS.ProcessEnv; timeout: number; input?: string },
): Promise<Printed> {
  const { input = '', ...spawnOptions } = options;
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, spawnOptions);
    const [output, both]: Buffer[][] = [[], []];
    child.stdout.on('data', (chunk: Buffer) => [output, both].forEach((list) => list?.push(chunk)));
    child.stderr.on('data', (chunk: Buffer) => both?.push(chunk));
    const text = (chunks: Buffer[] = []) => Buffer.concat(chunks).toString();
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: code ?? -1, output: text(output), text: text(both) }));
    // A command that does not read its input may have ended already.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}
