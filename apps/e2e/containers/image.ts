import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { copyFile, cp, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findTool, tempFolder } from '@annex/testkit';
import { runCommand } from '../suites/command.ts';
import { podman, tryPodman } from './podman.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const dockerfile = join(root, 'deploy', 'Dockerfile');

/** Where this machine trusts further CAs, such as that of a proxy between it and the registry of packages. */
const trustedCertificates = '/etc/ssl/certs/ca-certificates.crt';

/** Builds the image of `deploy/Dockerfile` and returns its name. */
export async function buildImage(): Promise<string> {
  using folder = tempFolder('annex-image-');
  const npmrc = join(folder.path, 'npmrc');
  writeFileSync(npmrc, existsSync(trustedCertificates) ? `cafile=${trustedCertificates}\n` : '');
  const mounts = [`${npmrc}:/root/.npmrc:ro`];
  if (existsSync(trustedCertificates)) mounts.push(`${trustedCertificates}:${trustedCertificates}:ro`);
  await podman(
    ...['build', '--quiet', '--network=host', '--tag=localhost/annex', `--file=${dockerfile}`],
    ...mounts.map((mount) => `--volume=${mount}`),
    `--build-arg=NODE_IMAGE=${await nodeImage()}`,
    root,
  );
  return 'localhost/annex';
}

/** The image of Node that the Dockerfile names, or one of Debian with this Node where no registry of images is reachable. */
async function nodeImage(): Promise<string> {
  const [, named = ''] = /^ARG NODE_IMAGE=(.+)$/m.exec(readFileSync(dockerfile, 'utf8')) ?? [];
  const { code } = await tryPodman('pull', '--quiet', `docker.io/library/${named}`);
  return code === 0 ? `docker.io/library/${named}` : await debianImage();
}

async function debianImage(): Promise<string> {
  const name = `localhost/annex-node:${process.version}`;
  if ((await tryPodman('image', 'exists', name)).code === 0) return name;
  using folder = tempFolder('annex-debian-');
  const rootfs = join(folder.path, 'rootfs');
  const args = ['--variant=minbase', 'bookworm', rootfs];
  const { code, text } = await runCommand('debootstrap', args, { env: process.env, timeout: 1_200_000 });
  if (code !== 0) throw new Error(`debootstrap ended with ${code}:\n${text}`);
  await addNode(join(rootfs, 'usr', 'local'));
  const archive = join(folder.path, 'rootfs.tar');
  await runCommand('tar', ['-C', rootfs, '-cf', archive, '.'], { env: process.env, timeout: 600_000 });
  rmSync(rootfs, { recursive: true, force: true });
  await podman('import', '--quiet', archive, name);
  return name;
}

/** Copies this Node and the npm of this machine. */
async function addNode(prefix: string): Promise<void> {
  const npm = findTool('npm');
  if (npm === undefined) throw new Error('npm not found in PATH');
  mkdirSync(join(prefix, 'lib', 'node_modules'), { recursive: true });
  await copyFile(process.execPath, join(prefix, 'bin', 'node'));
  const installed = join(realpathSync(npm), '..', '..');
  await cp(installed, join(prefix, 'lib', 'node_modules', 'npm'), { recursive: true });
  await symlink('../lib/node_modules/npm/bin/npm-cli.js', join(prefix, 'bin', 'npm'));
}
