import { Client, type ClientConfig, LeaderElection, type Leadership } from '@annex/client';
import type { JsonObject } from '@annex/machinery';
import type { Clock, Logger, Metrics } from '@annex/runtime';
import { AddressPool } from './address-pool.ts';
import { Api } from './api.ts';
import { readDocuments, requireNoErrors } from './documents.ts';
import { EventWriter } from './event-writer.ts';
import { defaultNodes, readNodes } from './nodes/node-shapes.ts';
import type { Node } from './nodes/node.ts';
import { Nodes } from './nodes/nodes.ts';
import { type FakeNodesConfig, nodeCount } from './config.ts';
import { Pods } from './pods/pods.ts';
import { PatchStages } from './stages/patch-stages.ts';
import { readStages } from './stages/stage-file.ts';
import type { Stages } from './stages/stage.ts';

/** Dependencies on the process that runs fake nodes. */
export interface FakeNodesDeps {
  clock: Clock;
  log: Logger;
  metrics: Metrics;
  /** A number from 0 to 1; default: `Math.random`. */
  random?(): number;
}

/** Fake nodes that can be started once and stopped once. */
export interface FakeNodes {
  readonly name: string;
  /** Reads the files. Throws OperatorError if they are invalid. The rest happens in the background, and failures are retried. */
  start(): Promise<void>;
  /** Resolves when no write is in progress. The nodes stay, without a heartbeat. */
  stop(): Promise<void>;
  /** True if all nodes are registered and all Pods are known, or if another process looks after them. */
  isReady(): boolean;
}

/** Creates fake nodes as a client of an API server. With `leadership`, they run while this process holds the Lease. */
export function createFakeNodes(
  deps: FakeNodesDeps,
  config: FakeNodesConfig,
  client: ClientConfig,
  leadership?: Leadership,
): FakeNodes {
  let running: Running | undefined;
  return {
    name: 'fake-nodes',
    async start() {
      const [planned, stages] = await Promise.all([
        plannedNodes(config.fakeNodes),
        openStages(config.fakeNodeStages),
      ]);
      running = new Running(deps, { config, planned, stages, client, leadership });
      running.start();
    },
    async stop() {
      await running?.stop();
    },
    isReady: () => running?.isReady() ?? false,
  };
}

async function plannedNodes(text: string): Promise<Node[]> {
  const count = nodeCount(text);
  if (text === '' || count !== undefined) return defaultNodes(count ?? 0);
  const errors: string[] = [];
  const nodes = readNodes(await readDocuments(text), errors);
  requireNoErrors([text], errors);
  return nodes;
}

async function openStages(paths: readonly string[]): Promise<Stages> {
  const documents: JsonObject[] = [];
  for (const path of paths) documents.push(...(await readDocuments(path)));
  const errors: string[] = [];
  const stages = readStages(documents, errors);
  requireNoErrors(paths, errors);
  return stages;
}

interface RunConfig {
  config: FakeNodesConfig;
  planned: readonly Node[];
  stages: Stages;
  client: ClientConfig;
  leadership: Leadership | undefined;
}

class Running {
  readonly #client: Client;
  readonly #ending = new AbortController();
  readonly #events: EventWriter;
  readonly #nodes: Nodes;
  readonly #pods: Pods;
  readonly #election: LeaderElection | undefined;
  readonly #leadership: Leadership | undefined;
  #known = false;

  constructor({ clock, log: parent, metrics, random = Math.random }: FakeNodesDeps, run: RunConfig) {
    const { config, planned, stages, client, leadership } = run;
    const log = parent.child({ app: 'fake-nodes' });
    const writes = metrics.counter(
      'annex_fake_nodes_writes_total',
      'Requests of fake nodes, by what they write.',
      ['what'],
    );
    this.#client = new Client({ userAgent: 'fake-nodes/annex', protocol: 'h2', ...client });
    this.#leadership = leadership;
    if (leadership !== undefined) {
      // The Lease is released after the last write.
      const requests = new Api(this.#client, new AbortController().signal, log);
      this.#election = new LeaderElection(requests, leadership, { clock, log });
    }
    const mayWrite = (): boolean => this.#election?.isHeld ?? true;
    const api = new Api(this.#client, this.#ending.signal, log, mayWrite);
    this.#events = new EventWriter(api, { clock, log, writes });
    const shared = { api, clock, log, random, stages, writes, events: this.#events };
    const patchStages = new PatchStages(stages.patches, shared);
    this.#nodes = new Nodes({
      ...shared,
      patchStages,
      planned,
      addresses: new AddressPool(config.fakeNodeCidr),
      leaseDurationSeconds: config.nodeLeaseDurationSeconds,
      statusReportMs: config.nodeStatusReportFrequency,
      adopted: (name) => this.#pods.adopt(name),
    });
    this.#pods = new Pods({
      ...shared,
      patchStages,
      addresses: new AddressPool(config.fakePodCidr),
      hostIP: (name) => this.#nodes.hostIP(name),
      node: (name) => this.#nodes.node(name),
    });
    const gauge = (name: string, help: string, read: () => number) =>
      metrics.gauge(`annex_fake_nodes_${name}`, help, [], (each) => each.set({}, read()));
    gauge('nodes', 'Nodes that are kept ready.', () => this.#nodes.size);
    gauge('pods', 'Pods on these nodes.', () => this.#pods.size);
  }

  start(): void {
    if (this.#election === undefined) this.#run();
    else
      this.#election.start({
        started: () => this.#run(),
        lost: () => void this.#end().then(this.#leadership?.lost),
      });
  }

  #run(): void {
    // Nodes first: Pods of unknown nodes are not followed.
    void this.#nodes
      .start()
      .then(() => this.#pods.start())
      .then(() => (this.#known = true));
  }

  isReady(): boolean {
    return this.#election?.isStandby || (this.#known && this.#nodes.unregistered === 0);
  }

  async stop(): Promise<void> {
    if (this.#election === undefined) await this.#end();
    else await this.#election.stop(() => this.#end());
    this.#client.close();
  }

  async #end(): Promise<void> {
    this.#events.stop();
    const stopped = [this.#nodes.stop(), this.#pods.stop()];
    this.#ending.abort();
    await Promise.all(stopped);
  }
}
