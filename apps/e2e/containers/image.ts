import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { copyFile, cp, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findTool, tempFolder } from '@annex/testkit';
import { makeDebianImage } from './debian-image.ts';
import { podman, tryPodman } from './podman.ts';
import { standIns } from './stand-ins.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const dockerfile = join(root, 'deploy', 'Dockerfile');

/** Where this machine trusts further CAs, such as that of a proxy between it and the registry of packages. */
const trustedCertificates = '/etc/ssl/certs/ca-certificates.crt';

/**
 * Builds or pulls the images of a compose file. Where no registry of images is reachable, images are made that have the same programs. Returns
 * the images of this machine by the names in the compose file.
 */
export async function findImages(names: readonly string[]): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const name of new Set(names)) found.set(name, await findImage(name));
  return found;
}

async function findImage(name: string): Promise<string> {
  if (name === 'annex') return buildImage();
  const image = name.includes('/') ? name : `docker.io/library/${name}`;
  if (await isPulled(image)) return image;
  const [, makeStandIn] = standIns.find(([pattern]) => pattern.test(image)) ?? [];
  if (makeStandIn === undefined) throw new Error(`${image} cannot be pulled`);
  return makeStandIn();
}

const isPulled = async (image: string): Promise<boolean> =>
  (await tryPodman('pull', '--quiet', image)).code === 0;

/** Builds the image of `deploy/Dockerfile` and returns its name. */
async function buildImage(): Promise<string> {
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
  const image = `docker.io/library/${named}`;
  if (await isPulled(image)) return image;
  return makeDebianImage(`localhost/annex-node:${process.version}`, {
    copy: (root) => addNode(join(root, 'usr', 'local')),
  });
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
