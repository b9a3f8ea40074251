import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, tempFolder } from '@annex/testkit';
import { readCompose, readNetworks } from '../runners/compose-file.ts';
import { Project } from '../runners/project.ts';
import { findImages } from './image.ts';
import { podman, tryPodman } from './podman.ts';
import { ServiceContainer } from './service-container.ts';

/** The port of the front proxy, or of the load balancer, in its container. */
const publishedPort = 6443;

/** The containers of a compose file. */
export interface ContainerProject extends AsyncDisposable {
  readonly services: readonly ServiceContainer[];
  find(name: string): ServiceContainer;
  /** The images of this machine, by the names in the compose file. */
  readonly images: ReadonlyMap<string, string>;
  /** The administrator's kubeconfig. */
  readonly kubeconfig: string;
  /** The milliseconds from the start of the first container until all were healthy. */
  readonly startedInMs: number;
}

/** What `docker compose` would be run with. */
export interface ComposeOptions {
  /** The path below `deploy/`. */
  file?: string;
  profiles?: readonly string[];
  environment?: Readonly<Record<string, string>>;
}

/** Starts the services of a compose file in containers. Resolves when all are healthy. */
export async function startContainers({
  file = 'compose.yaml',
  profiles = [],
  environment = {},
}: ComposeOptions = {}): Promise<ContainerProject> {
  const composeFile = new URL(`../../../deploy/${file}`, import.meta.url);
  const text = readFileSync(composeFile, 'utf8');
  const read = readCompose(text, profiles);
  const images = await findImages(read.map(({ image }) => image));
  const prefix = `annex-e2e-${randomBytes(4).toString('hex')}`;
  const port = await freePort();
  const hostPorts = new Map([[publishedPort, port]]);
  const setting = { prefix, composeFile, images, hostPorts, environment };
  const services = read.map((service) => new ServiceContainer(service, setting));
  const networks = readNetworks(text);
  const volumes = new Set(
    services.flatMap(({ service }) => service.volumes.map(({ volume }) => `${prefix}-${volume}`)),
  );
  const project = new Project(services);
  const folder = tempFolder('annex-containers-');
  const stop = async () => {
    await project.stop();
    for (const name of networks.keys()) await tryPodman('network', 'rm', '--force', `${prefix}-${name}`);
    for (const name of volumes) await tryPodman('volume', 'rm', '--force', name);
    folder[Symbol.dispose]();
  };
  try {
    for (const [name, internal] of networks)
      await podman('network', 'create', `--internal=${internal}`, `${prefix}-${name}`);
    // Containers that start at once would create a volume of both twice, which fails.
    for (const name of volumes) await podman('volume', 'create', name);
    const began = performance.now();
    await project.start();
    const startedInMs = performance.now() - began;
    const kubeconfig = await copyKubeconfig(project.find('pki'), folder.path, port);
    const find = (name: string) => project.find(name);
    return { services, find, images, kubeconfig, startedInMs, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Copies the administrator's kubeconfig, as the compose file says, with the port that stands in the place of its own. */
async function copyKubeconfig(pki: ServiceContainer, folder: string, port: number): Promise<string> {
  const path = join(folder, 'admin.kubeconfig');
  await podman('cp', `${pki.container}:/keys/admin.kubeconfig`, path);
  const text = readFileSync(path, 'utf8').replaceAll(`:${publishedPort}`, `:${port}`);
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}
