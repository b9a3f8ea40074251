import { runCommand } from '../suites/command.ts';

/** Debian's crun of bookworm is too old for its podman; limits above those of this session are refused without these. */
const runtime = ['--runtime=runc', '--cgroup-manager=cgroupfs'];

/** A build of an image may install packages. */
const longestMs = 1_200_000;

/** Runs podman. Resolves to its standard output; rejects with all of its output if it fails. */
export async function podman(...args: string[]): Promise<string> {
  const { code, output, text } = await tryPodman(...args);
  if (code !== 0) throw new Error(`podman ${args.join(' ')} ended with ${code}:\n${text}`);
  return output.trim();
}

/** Runs podman with any exit code. */
export const tryPodman = (...args: string[]) =>
  runCommand('podman', [...runtime, ...args], { env: process.env, timeout: longestMs });
