import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, tempFolder } from '@annex/testkit';
import { readCompose, readNetworks } from '../runners/compose-file.ts';
import { Project } from '../runners/project.ts';
import { podman, tryPodman } from './podman.ts';
import { ServiceContainer } from './service-container.ts';

const composeFile = new URL('../../../deploy/compose.yaml', import.meta.url);

/** The port of the front proxy in its container. */
const publishedPort = 6443;

/** The containers of `deploy/compose.yaml`. */
export interface ContainerProject extends AsyncDisposable {
  readonly services: readonly ServiceContainer[];
  /** The administrator's kubeconfig. */
  readonly kubeconfig: string;
  /** The milliseconds from the start of the first container until all were healthy. */
  readonly startedInMs: number;
}

/** What `docker compose` would be run with. */
export interface ComposeOptions {
  profiles?: readonly string[];
  environment?: Readonly<Record<string, string>>;
}

/** Starts the services of `deploy/compose.yaml` in containers. Resolves when all are healthy. */
export async function startContainers(
  image: string,
  { profiles = [], environment = {} }: ComposeOptions = {},
): Promise<ContainerProject> {
  const text = readFileSync(composeFile, 'utf8');
  const prefix = `annex-e2e-${randomBytes(4).toString('hex')}`;
  const port = await freePort();
  const setting = { prefix, image, hostPorts: new Map([[publishedPort, port]]), environment };
  const services = readCompose(text, profiles).map((service) => new ServiceContainer(service, setting));
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
    return { services, kubeconfig, startedInMs, [Symbol.asyncDispose]: stop };
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
