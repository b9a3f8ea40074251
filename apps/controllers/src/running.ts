import { Client, type ClientConfig, LeaderElection, type Leadership } from '@annex/client';
import type { KubeObject } from '@annex/machinery';
import { ownTurn } from '@annex/runtime';
import { Api } from './api.ts';
import type { Controller, ControllerDeps } from './controller.ts';
import { ResourceDiscovery } from './discovery/resource-discovery.ts';
import { ServedResources } from './discovery/served-resources.ts';
import { EventRecorder, type Occurrence } from './event-recorder.ts';
import { SharedInformers } from './shared-informers.ts';
import type { ControllerRow } from './table.ts';

/** Dependencies of running controllers. */
export type RunDeps = Omit<ControllerDeps, 'api' | 'informers' | 'resources' | 'served'> & {
  client: ClientConfig;
  rows: readonly ControllerRow[];
};

/** Controllers that run until they are stopped. */
export interface Running {
  /** Resolves when no work is in progress. */
  stop(): Promise<void>;
}

/** How long the controllers wait for their first response. */
const connectedWithinMs = 1_000;

/** Starts the controllers with a separate client. */
export async function runControllers({ client: config, rows, ...rest }: RunDeps): Promise<Running> {
  const client = new Client(config);
  const ending = new AbortController();
  const api = new Api(client, ending.signal, rest.log);
  const informers = new SharedInformers(api);
  const shared = { ...rest, api, informers, resources: new ResourceDiscovery(api) };
  const served = new ServedResources(shared);
  const deps: ControllerDeps = { ...shared, served };
  const controllers: Controller[] = [];
  for (const row of rows) {
    await ownTurn();
    controllers.push(await row.create(deps));
  }
  // The handshake of their connection and the first check of its certificate take a turn before the requests of all informers.
  await client.send({ path: '/version', timeoutMs: connectedWithinMs }).catch(() => undefined);
  // The informers start last, so that no listener misses the first events.
  for (const controller of [...controllers, served]) {
    await ownTurn();
    controller.start();
  }
  return {
    async stop() {
      const stopped = [...controllers, served, informers].map((one) => one.stop());
      ending.abort();
      await Promise.all(stopped);
      client.close();
    },
  };
}

/** Starts the controllers when this process becomes the leader, and ends them before another process may lead. */
export function runWhileLeading(deps: RunDeps, leadership: Leadership): Running {
  const client = new Client(deps.client);
  const ending = new AbortController();
  const api = new Api(client, ending.signal, deps.log);
  const election = new LeaderElection(api, leadership, deps);
  const events = new EventRecorder('kube-controller-manager', { ...deps, api });
  let running: Promise<Running> | undefined;
  const end = async () => void (await (await running)?.stop());
  election.start({
    started(lease) {
      events.record(becameLeader(lease, leadership.identity));
      running = runControllers(deps);
    },
    lost: () => void end().then(() => leadership.lost()),
  });
  return {
    async stop() {
      await election.stop(end);
      const notified = events.stop();
      ending.abort();
      await notified;
      client.close();
    },
  };
}

// kube's event.
const becameLeader = ({ metadata }: KubeObject, identity: string): Occurrence => ({
  involved: {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    namespace: metadata.namespace ?? '',
    name: metadata.name ?? '',
    uid: metadata.uid ?? '',
  },
  type: 'Normal',
  reason: 'LeaderElection',
  message: `${identity} became leader`,
});
