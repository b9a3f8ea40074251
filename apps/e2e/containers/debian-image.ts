import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { tempFolder } from '@annex/testkit';
import { runCommand } from '../suites/command.ts';
import { podman, tryPodman } from './podman.ts';

/** What an image has in addition to the smallest Debian. */
export interface DebianAddition {
  packages?: readonly string[];
  /** Copies further files below the root of the image. */
  copy?: (root: string) => Promise<void>;
  command?: readonly string[];
}

/** Makes an image of Debian with debootstrap, unless this machine has one of this name. Returns the name. */
export async function makeDebianImage(name: string, addition: DebianAddition): Promise<string> {
  if ((await tryPodman('image', 'exists', name)).code === 0) return name;
  using folder = tempFolder('annex-debian-');
  const root = join(folder.path, 'rootfs');
  const { packages = [], command } = addition;
  const included = packages.length > 0 ? [`--include=${packages.join(',')}`] : [];
  await run('debootstrap', '--variant=minbase', ...included, 'bookworm', root);
  await addition.copy?.(root);
  const archive = join(folder.path, 'rootfs.tar');
  await run('tar', '-C', root, '-cf', archive, '.');
  rmSync(root, { recursive: true, force: true });
  const changes = command === undefined ? [] : [`--change=CMD ${JSON.stringify(command)}`];
  await podman('import', '--quiet', ...changes, archive, name);
  return name;
}

/** Runs a command. Rejects with its output if it fails. */
export async function run(command: string, ...args: readonly string[]): Promise<void> {
  const { code, text } = await runCommand(command, args, { env: process.env, timeout: 1_200_000 });
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}:\n${text}`);
}
