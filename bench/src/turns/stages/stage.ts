import { setTimeout } from 'node:timers/promises';
import { type ImageSize, namePrefix } from '../../growth/stored-image.ts';
import { PlainClient, type TurnRequest } from '../h2-client.ts';
import type { TurnServer } from '../turn-server.ts';
import type { WebhookServer } from '../webhook-server.ts';

/** A server with much in its store, and what is done to it. Each round has a new server. */
export interface Stage {
  name: string;
  /** Its objects. Default: an empty store. */
  image?(): ImageSize;
  /** Arguments of the server; files are written into its data directory. */
  args?(folder: string): readonly string[];
  steps: readonly Step[];
}

/** A step whose turns are measured, and what precedes it. */
export interface Step {
  name: string;
  prepare?(site: Site): Promise<void>;
  run(site: Site): Promise<unknown>;
}

/** The server of a stage. */
export class Site implements Disposable {
  readonly server: TurnServer;
  readonly webhooks: WebhookServer;
  readonly client: PlainClient;

  constructor(server: TurnServer, webhooks: WebhookServer) {
    this.server = server;
    this.webhooks = webhooks;
    this.client = new PlainClient(server.config);
  }

  /** Sends a request that must succeed. */
  async must(request: TurnRequest): Promise<Buffer> {
    const { status, body } = await this.client.send(request);
    if (status > 299) throw new Error(`${request.path}: ${status} ${body.toString().slice(0, 300)}`);
    return body;
  }

  /** Waits until a path is not found. */
  async gone(path: string): Promise<void> {
    while ((await this.client.send({ method: 'GET', path })).status !== 404) await setTimeout(100);
  }

  /** Waits until a collection has no object of the image any more; controllers create others. */
  async emptied(path: string): Promise<void> {
    while ((await this.must({ method: 'GET', path: `${path}?limit=2` })).includes(`"name":"${namePrefix}`))
      await setTimeout(100);
  }

  /** Waits until a path is served. */
  async served(path: string): Promise<void> {
    while ((await this.client.send({ method: 'GET', path })).status !== 200) await setTimeout(100);
  }

  /** Reads a watch until no event comes for some time. */
  async initialEvents(request: TurnRequest): Promise<void> {
    const watch = this.client.watch(request);
    await watch.quiet(watchQuietMs);
    watch.end();
  }

  [Symbol.dispose](): void {
    this.client[Symbol.dispose]();
  }
}

const watchQuietMs = 500;

/** A step of one request. */
export const request = (name: string, of: TurnRequest | (() => TurnRequest)): Step => ({
  name,
  run: (site) => site.must(typeof of === 'function' ? of() : of),
});

/** A step that reads the initial events of a watch. */
export const watch = (name: string, path: string, accept?: string): Step => ({
  name,
  run: (site) => site.initialEvents({ method: 'GET', path, ...(accept !== undefined && { accept }) }),
});

/** The turns of the start after the server is ready. */
export const start: Step = { name: 'start', run: () => Promise.resolve() };
