import { loadavg } from 'node:os';
import { join } from 'node:path';
import { Client, type ClientConfig, loadKubeconfig } from '@annex/client';
import { tempFolder } from '@annex/testkit';
import { Api } from '../api.ts';
import { cpuMs, residentMiB } from '../process-facts.ts';
import { startAnnex } from '../target.ts';
import { findKubeScheduler, type SchedulerMaker, startScheduler } from './programs.ts';
import { type SchedulerRow, schedulerRows } from './rows.ts';

/** The result of a row with one scheduler: medians of the rounds. */
export interface SchedulerResult {
  row: string;
  maker: SchedulerMaker;
  /** Pods bound in a second, from the first to the last, in each round. */
  rounds: number[];
  value: number;
  /** CPU time of the scheduler for each Pod, including its start. */
  cpuMs: number;
  /** Its resident memory after the last Pod. */
  residentMiB: number;
  /** The load of the machine at the start. */
  load: number;
}

export interface SchedulerSettings {
  names: ReadonlySet<string>;
  rounds: number;
  profiles: string | undefined;
}

const writers = 16;
const withinMs = 600_000;
const zones = 3;

/** Measures Annex and, where it is built, kube-scheduler in alternating rounds, on one Annex. */
export async function runSchedulers(settings: SchedulerSettings): Promise<SchedulerResult[]> {
  const makers: readonly SchedulerMaker[] =
    findKubeScheduler() === undefined ? ['annex'] : ['annex', 'kube-scheduler'];
  const results: SchedulerResult[] = [];
  for (const row of schedulerRows.filter(({ name }) => settings.names.has(name))) {
    const measured = new Map(makers.map((maker) => [maker, [] as Round[]]));
    const load = loadavg()[0] ?? 0;
    await using cluster = await BenchCluster.start(row);
    for (let round = 0; round < settings.rounds; round++)
      for (const maker of makers) measured.get(maker)?.push(await cluster.measure(maker, settings.profiles));
    for (const [maker, rounds] of measured) results.push({ ...summary(row, maker, rounds), load });
  }
  return results;
}

interface Round {
  perSecond: number;
  cpuMs: number;
  residentMiB: number;
}

function summary(row: SchedulerRow, maker: SchedulerMaker, rounds: readonly Round[]) {
  const median = (of: (round: Round) => number): number =>
    rounds.map(of).toSorted((a, b) => a - b)[Math.trunc(rounds.length / 2)] ?? Number.NaN;
  return {
    row: row.name,
    maker,
    rounds: rounds.map(({ perSecond }) => perSecond),
    value: median(({ perSecond }) => perSecond),
    cpuMs: median((round) => round.cpuMs),
    residentMiB: median((round) => round.residentMiB),
  };
}

/** A server with nodes. */
class BenchCluster implements AsyncDisposable {
  readonly #row: SchedulerRow;
  readonly #folder: string;
  readonly #api: Api;
  readonly #client: Client;
  readonly #stop: () => Promise<void>;

  constructor(row: SchedulerRow, folder: string, config: ClientConfig, stop: () => Promise<void>) {
    this.#row = row;
    this.#folder = folder;
    this.#api = new Api(config);
    this.#client = new Client(config);
    this.#stop = stop;
  }

  static async start(row: SchedulerRow): Promise<BenchCluster> {
    const folder = tempFolder('annex-bench-');
    const annex = await startAnnex(folder.path, ['--ephemeral', '--controllers=', '--log-level', 'error']);
    const config = await loadKubeconfig(join(folder.path, 'admin.kubeconfig'));
    const cluster = new BenchCluster(row, folder.path, config, async () => {
      await annex.stop();
      folder[Symbol.dispose]();
    });
    await cluster.#each(row.nodes, (index) => cluster.#createNode(index));
    return cluster;
  }

  /** Creates the Pods, runs the scheduler until they are bound, and deletes them. */
  async measure(maker: SchedulerMaker, profiles: string | undefined): Promise<Round> {
    const pods = '/api/v1/namespaces/default/pods';
    await this.#each(this.#row.pods, (index) => this.#api.must('POST', pods, podOf(this.#row, index)));
    using bound = await this.#watchBindings(pods);
    const nodeArgs = profiles === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profiles}`];
    const kubeconfig = join(this.#folder, 'admin.kubeconfig');
    await using scheduler = await startScheduler(maker, this.#folder, kubeconfig, nodeArgs);
    const seconds = await Promise.race([
      bound.all,
      scheduler.exited.then(() => {
        throw new Error(`the scheduler ended:\n${scheduler.lines.join('\n')}`);
      }),
    ]);
    const round = {
      perSecond: this.#row.pods / seconds,
      cpuMs: cpuMs([scheduler.pid]) / this.#row.pods,
      residentMiB: residentMiB([scheduler.pid]),
    };
    await scheduler.stop();
    await this.#each(this.#row.pods, (index) =>
      this.#api.must('DELETE', `${pods}/p-${index}?gracePeriodSeconds=0`),
    );
    return round;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#api.close();
    this.#client.close();
    await this.#stop();
  }

  /** Resolves `all` to the seconds from the first to the last binding. */
  async #watchBindings(path: string): Promise<Disposable & { all: Promise<number> }> {
    const ending = new AbortController();
    const { metadata } = await this.#client.json<{ metadata: { resourceVersion: string } }>({
      path: `${path}?limit=1`,
    });
    const { resourceVersion } = metadata;
    const events = this.#client.watch<{ metadata: { name: string }; spec: { nodeName?: string } }>(path, {
      resourceVersion,
      signal: AbortSignal.any([ending.signal, AbortSignal.timeout(withinMs)]),
    });
    const count = async (): Promise<number> => {
      const names = new Set<string>();
      let first = 0;
      for await (const { object } of events) {
        if (object.spec.nodeName === undefined) continue;
        if (names.size === 0) first = performance.now();
        names.add(object.metadata.name);
        if (names.size === this.#row.pods) return (performance.now() - first) / 1000;
      }
      throw new Error(`${names.size} of ${this.#row.pods} Pods were bound`);
    };
    const all = count();
    all.catch(() => undefined);
    return { all, [Symbol.dispose]: () => ending.abort() };
  }

  async #createNode(index: number): Promise<void> {
    const nodes = '/api/v1/nodes';
    await this.#api.must('POST', nodes, nodeOf(index));
    const noTaints = JSON.stringify({ spec: { taints: null } });
    await this.#api.must('PATCH', `${nodes}/n-${index}`, noTaints, 'application/merge-patch+json');
  }

  async #each(count: number, run: (index: number) => Promise<unknown>): Promise<void> {
    let next = 0;
    const work = async (): Promise<void> => {
      for (let index = next++; index < count; index = next++) await run(index);
    };
    await Promise.all(Array.from({ length: writers }, work));
  }
}

function nodeOf(index: number): string {
  const name = `n-${index}`;
  const allocatable = { cpu: '32', memory: '128Gi', pods: '110' };
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: { 'kubernetes.io/hostname': name, 'topology.kubernetes.io/zone': `z-${index % zones}` },
    },
    status: { capacity: allocatable, allocatable },
  });
}

const podOf = ({ spec }: SchedulerRow, index: number): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `p-${index}`, labels: { app: 'bench' } },
    spec: {
      ...spec,
      containers: [
        {
          name: 'c',
          image: 'registry.example/app:1',
          resources: { requests: { cpu: '100m', memory: '128Mi' } },
        },
      ],
    },
  });
