import { loadavg } from 'node:os';
import { join } from 'node:path';
import { loadKubeconfig } from '@annex/client';
import { startProcess, tempFolder } from '@annex/testkit';
import { Api } from '../api.ts';
import { cpuMs, residentMiB } from '../process-facts.ts';
import { annexProgram, startAnnex } from '../target.ts';
import { type Server, startReference } from '../table/servers.ts';
import { type ImageSize, writeImage } from './stored-image.ts';

/** A measured step: CPU time of the server's processes, and the time until the response. */
export interface Cost {
  cpuMs: number;
  ms: number;
}

/** A server of one size, and what it costs. */
export class GrownServer implements AsyncDisposable {
  readonly api: Api;
  readonly #server: Server;
  /** The cost of its start. */
  readonly start: Cost;

  constructor(server: Server, start: Cost) {
    this.#server = server;
    this.api = new Api(server.config);
    this.start = start;
  }

  get memory(): number {
    return residentMiB(this.#server.pids);
  }

  get load(): number {
    return loadavg()[0] ?? 0;
  }

  /** Measures a step of the server. */
  async cost(step: () => Promise<unknown>): Promise<Cost> {
    const [cpu, began] = [cpuMs(this.#server.pids), performance.now()];
    await step();
    return { cpuMs: cpuMs(this.#server.pids) - cpu, ms: performance.now() - began };
  }

  get(path: string): Promise<Cost> {
    return this.cost(async () => {
      // The server may close a kept connection while the request is sent.
      const isReset = (error: NodeJS.ErrnoException): boolean => error.code === 'ECONNRESET';
      await this.api.must('GET', path).catch((error: Error) => {
        if (isReset(error)) return this.api.must('GET', path);
        throw error;
      });
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.api.close();
    await this.#server[Symbol.asyncDispose]();
  }
}

const controllers = 'namespace-controller,garbage-collector-controller';

/** Writes the objects of an image into a store: the folder of one, or etcd. */
export async function restore(image: ImageSize, ...target: readonly string[]): Promise<void> {
  using folder = tempFolder('annex-growth-image-');
  const file = join(folder.path, 'image.snap');
  await writeImage(file, image);
  const restored = await startProcess(process.execPath, { args: [annexProgram, 'restore', file, ...target] });
  if ((await restored.exited) !== 0) throw new Error(`restore failed: ${restored.lines.join('\n')}`);
}

/** Starts Annex on a store with the objects of an image, or on an empty one. */
export async function startGrown(image: ImageSize | undefined): Promise<GrownServer> {
  const folder = tempFolder('annex-growth-');
  if (image !== undefined) await restore(image, '--data-dir', folder.path);
  const began = performance.now();
  const annex = await startAnnex(folder.path, [
    `--controllers=${controllers}`,
    '--log-level',
    'error',
    '--request-timeout=10m',
  ]);
  const start = { ms: performance.now() - began, cpuMs: cpuMs([annex.pid]) };
  const server: Server = {
    name: 'annex',
    config: await loadKubeconfig(join(folder.path, 'admin.kubeconfig')),
    pids: [annex.pid],
    async [Symbol.asyncDispose]() {
      await annex.stop();
      folder[Symbol.dispose]();
    },
  };
  return new GrownServer(server, start);
}

/** Starts kube-apiserver on an etcd with the objects of an image, or on an empty one; with kube-controller-manager if it has to delete. */
export async function startGrownReference(
  programs: string,
  image: ImageSize | undefined,
  isDeleting: boolean,
): Promise<GrownServer> {
  const server = await startReference(programs, {
    ...(image === undefined ? {} : { fill: (etcd) => restore(image, `--etcd-servers=${etcd}`) }),
    ...(isDeleting ? { controllers } : {}),
  });
  return new GrownServer(server, server.start);
}
