import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, loadKubeconfig } from '@annex/client';
import { encodeYaml, type JsonValue, type KubeObject } from '@annex/machinery';
import { freePort, type RunningProcess, startProcess, type TempFolder, tempFolder } from '@annex/testkit';
import { annexCommand } from '../../runners/annex-command.ts';
import type { Runner } from '../../runners/runner.ts';
import { startAnnex } from '../../runners/start-annex.ts';
import { BindingHistory } from './binding-history.ts';

/** Milliseconds of Leases. */
export interface LeaseTimes {
  lease: number;
  renew: number;
  retry: number;
}

/** The size of a cluster, and the times of its Leases. */
export interface ClusterOptions {
  nodes: number;
  /** Pods that a node has room for. */
  podsOfNode: number;
  leaseMs: LeaseTimes;
}

const pods = '/api/v1/namespaces/default/pods';
const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases';
const writers = 16;

const auditPolicy = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [
    { level: 'Metadata', verbs: ['create'], resources: [{ group: '', resources: ['pods/binding'] }] },
    { level: 'None' },
  ],
};

/** Nodes receive Pods and do nothing more with them. */
const holdPods = {
  apiVersion: 'annex/v1alpha1',
  kind: 'Stage',
  metadata: { name: 'hold' },
  spec: { resourceRef: { apiGroup: 'v1', kind: 'Pod' }, transition: 'Sandbox', hold: true },
};

/** The state of a Lease. */
export interface LeaseState {
  holderIdentity: string;
  renewTime: string;
  acquireTime: string;
  leaseTransitions: number;
}

/** An Annex with fake nodes, which several schedulers share. */
export class SharedCluster {
  readonly annex: Runner;
  readonly api: Client;
  readonly history: BindingHistory;
  readonly auditLog: string;
  readonly #folder: TempFolder;
  readonly #leaseMs: LeaseTimes;
  readonly #processes: RunningProcess[] = [];
  #created = 0;

  private constructor(
    annex: Runner,
    api: Client,
    { history, folder, leaseMs }: { history: BindingHistory; folder: TempFolder; leaseMs: LeaseTimes },
  ) {
    this.#leaseMs = leaseMs;
    this.annex = annex;
    this.api = api;
    this.history = history;
    this.#folder = folder;
    this.auditLog = join(folder.path, 'audit.log');
  }

  static async start({ nodes, podsOfNode, leaseMs }: ClusterOptions): Promise<SharedCluster> {
    const folder = tempFolder('annex-schedulers-');
    const file = (name: string, content: object): string => {
      const path = join(folder.path, name);
      writeFileSync(path, encodeYaml(content as JsonValue));
      return path;
    };
    const shape = {
      apiVersion: 'annex/v1alpha1',
      kind: 'NodeShape',
      metadata: { name: 'node' },
      count: nodes,
      template: { status: { capacity: { cpu: `${podsOfNode}`, memory: '64Gi', pods: '110' } } },
    };
    const annex = await startAnnex({
      ephemeral: true,
      args: [
        `--fake-nodes=${file('nodes.yaml', shape)}`,
        `--fake-node-stages=${file('stages.yaml', holdPods)}`,
        `--audit-policy-file=${file('policy.yaml', auditPolicy)}`,
        `--audit-log-path=${join(folder.path, 'audit.log')}`,
        '--audit-log-mode=blocking-strict',
      ],
    });
    const api = new Client(await loadKubeconfig(annex.kubeconfig));
    return new SharedCluster(annex, api, { history: await BindingHistory.start(api, pods), folder, leaseMs });
  }

  /** Creates Pods, a few at a time; `created` is called after each. */
  async createPods(
    count: number,
    schedulerName: string,
    created: () => unknown = () => undefined,
  ): Promise<void> {
    let left = count;
    const work = async (): Promise<void> => {
      while (left-- > 0) {
        await this.api.json({ method: 'POST', path: pods, body: this.#newPod(schedulerName) });
        await created();
      }
    };
    await Promise.all(Array.from({ length: writers }, work));
  }

  /** Starts a scheduler of Annex, or of this path, as the user `user`, with a Lease and a profile named `name`. */
  async startScheduler(name: string, user: string, binary?: string): Promise<RunningProcess> {
    const kubeconfig = this.#kubeconfig(user);
    const config = join(this.#folder.path, `${user}.yaml`);
    writeFileSync(config, encodeYaml(configurationOf(name, kubeconfig, this.#leaseMs)));
    const args = [`--config=${config}`, '--bind-address=127.0.0.1', `--secure-port=${await freePort()}`];
    const delegated = ['authentication', 'authorization'].map((flag) => `--${flag}-kubeconfig=${kubeconfig}`);
    const process =
      binary === undefined
        ? await startProcess(globalThis.process.execPath, {
            args: [annexCommand, 'scheduler', ...args, '--log-level=info'],
            until: /is ready/,
          })
        : await startProcess(binary, { args: [...args, ...delegated], until: /Serving securely on/ });
    this.#processes.push(process);
    return process;
  }

  /** Resolves to the Lease when it matches. */
  async lease(name: string, matches: (lease: LeaseState) => boolean, withinMs: number): Promise<LeaseState> {
    const signal = AbortSignal.timeout(withinMs);
    const path = `${leases}?fieldSelector=metadata.name%3D${name}`;
    const { metadata, items } = await this.api.json<LeaseList>({ path });
    const [first] = items ?? [];
    if (first !== undefined && matches(first.spec)) return first.spec;
    const { resourceVersion } = metadata;
    for await (const { object } of this.api.watch<Lease>(path, { resourceVersion, signal }))
      if (matches(object.spec)) return object.spec;
    throw new Error(`the Lease ${name} did not reach the expected state`);
  }

  async stop(): Promise<void> {
    for (const process of this.#processes) process.kill('SIGCONT');
    await Promise.all(this.#processes.map((process) => process.stop('SIGKILL')));
    this.history.stop();
    this.api.close();
    await this.annex.stop();
    this.#folder[Symbol.dispose]();
  }

  #newPod(schedulerName: string): object {
    const name = `p-${this.#created++}`;
    const resources = { requests: { cpu: '1' } };
    return {
      metadata: { name },
      spec: { schedulerName, containers: [{ name: 'c', image: 'i', resources }] },
    };
  }

  #kubeconfig(user: string): string {
    const path = join(this.#folder.path, `${user}.kubeconfig`);
    const pki = (name: string) => join(this.annex.pki, name);
    writeFileSync(
      path,
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Config',
        clusters: [
          { name: 'c', cluster: { server: this.annex.url, 'certificate-authority': pki('ca.crt') } },
        ],
        users: [
          {
            name: 'u',
            user: {
              'client-certificate': pki('admin.crt'),
              'client-key': pki('admin.key'),
              as: user,
              'as-groups': ['system:masters'],
            },
          },
        ],
        contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
        'current-context': 'c',
      }),
    );
    return path;
  }
}

type Lease = KubeObject & { spec: LeaseState };

interface LeaseList {
  metadata: { resourceVersion: string };
  items: Lease[] | null;
}

/** A scheduler that fills one node after the other: two of them choose the same node. */
const configurationOf = (
  name: string,
  kubeconfig: string,
  { lease, renew, retry }: LeaseTimes,
): JsonValue => ({
  apiVersion: 'kubescheduler.config.k8s.io/v1',
  kind: 'KubeSchedulerConfiguration',
  leaderElection: {
    leaderElect: true,
    resourceName: name,
    resourceNamespace: 'kube-system',
    leaseDuration: `${lease}ms`,
    renewDeadline: `${renew}ms`,
    retryPeriod: `${retry}ms`,
  },
  clientConnection: { kubeconfig, qps: 5_000, burst: 5_000 },
  podInitialBackoffSeconds: 1,
  podMaxBackoffSeconds: 1,
  profiles: [
    {
      schedulerName: name,
      plugins: { multiPoint: { disabled: [{ name: 'NodeResourcesBalancedAllocation' }] } },
      pluginConfig: [
        {
          name: 'NodeResourcesFit',
          args: { scoringStrategy: { type: 'MostAllocated', resources: [{ name: 'cpu', weight: 1 }] } },
        },
      ],
    },
  ],
});
