import { Client, type ClientConfig } from '@annex/client';
import type { Clock, Logger, Metrics, Part } from '@annex/runtime';
import { createLifecycle } from '@annex/runtime';
import { EventRecorder } from './api/event-recorder.ts';
import type { RateLimitConfig } from './api/rate-limit.ts';
import { SchedulerApi } from './api/scheduler-api.ts';
import { Cluster } from './cache/cluster.ts';
import { defaultFeatureGates, type FeatureGates } from './config/feature-gates.ts';
import type { SchedulerConfig } from './config/types.ts';
import { Changes } from './cycle/changes.ts';
import { Decider } from './cycle/decide.ts';
import { type RunningProfile, Scheduler } from './cycle/scheduler.ts';
import { createSchedulerMetrics } from './cycle/scheduler-metrics.ts';
import { WatchedCluster } from './cycle/watched.ts';
import { Extender } from './extenders/extender.ts';
import { withoutManagedResources } from './extenders/managed-resources.ts';
import { createProfile } from './framework/create-profile.ts';
import type { DefinedPlugin } from './framework/define-plugin.ts';
import type { Handle } from './framework/handle.ts';
import { Attempts } from './explain/attempts.ts';
import type { PluginDefinition } from './framework/plugin.ts';
import type { Profile } from './framework/profile.ts';
import type { PodInfo } from './objects/pod-info.ts';
import { pluginRegistry } from './plugins/registry.ts';
import { type QueueTimes, SchedulingQueue } from './queue/scheduling-queue.ts';

/** Dependencies of a scheduler. */
export interface SchedulerAppDeps {
  clock: Clock;
  log: Logger;
  metrics: Metrics;
}

/** Options of {@link createScheduler}. */
export interface SchedulerAppOptions {
  client: ClientConfig;
  config: SchedulerConfig;
  /** Further plugins, which profiles can enable. */
  plugins?: readonly DefinedPlugin[];
  /** Remembers the attempts of Pods. Default: they are only remembered here. */
  attempts?: Attempts;
  /** The feature gates that are on. Default: those of kube-scheduler. */
  features?: FeatureGates;
  /** Milliseconds after which a refused Pod is tried again even if nothing changed. Default 5 min. */
  maxUnschedulableMs?: number;
  /** Returns false while another scheduler may lead: Pods are then neither bound nor changed. Default: always true. */
  mayWrite?(): boolean;
}

/** A scheduler that follows the cluster when it is started, and schedules when it is told to. */
export interface SchedulerApp extends Part {
  /** Sends requests without a limit of their rate. */
  readonly api: SchedulerApi;
  readonly attempts: Attempts;
  /** All Pods that have not ended, in their last version. */
  readonly pods: Iterable<PodInfo>;
  /** Resolves when the cluster is loaded. */
  readonly synced: Promise<void>;
  /** Begins to schedule. */
  schedule(): void;
  /** Ends scheduling. Resolves when no binding runs. */
  finish(): Promise<void>;
}

/** Creates a scheduler. Throws ProfileError for a configuration that its plugins refuse. */
export function createScheduler(deps: SchedulerAppDeps, options: SchedulerAppOptions): SchedulerApp {
  const { clock, log, metrics } = deps;
  const { attempts = new Attempts(), config, features = defaultFeatureGates } = options;
  const client = new Client({ protocol: 'h2', ...options.client });
  const ending = new AbortController();
  const { api, events, unlimited } = createApis(client, options, clock, ending.signal);
  const cluster = new Cluster();
  const extenders = config.extenders.map((one) => new Extender(one));
  const measured = createSchedulerMetrics(metrics, {
    queueSizes: () => queue.sizes,
    cacheSizes: () => cacheSizes(cluster),
    bindings: () => scheduler.bindings,
  });
  const activate = (pod: PodInfo): void => queue.activate(pod);
  const nominatedPods = (node: string): readonly PodInfo[] => queue.nominator.on(node);
  const shared = { api, cluster, clock, features, log, extenders, activate, nominatedPods };
  const profiles = createProfiles(options, events, shared);
  const changes = new Changes();
  const queue = new SchedulingQueue(new Map([...profiles].map(([name, { profile }]) => [name, profile])), {
    clock,
    metrics: measured.queue,
    times: queueTimes(options, features),
  });
  const { percentageOfNodesToScore } = config;
  const decider = new Decider({ cluster, extenders, log, percentageOfNodesToScore });
  const scheduler = new Scheduler({
    ...{ api, attempts, changes, clock, cluster, decider, features, log, profiles, queue },
    metrics: measured,
    bindByExtender: (pod, node) => bindByExtender(extenders, pod, node, log),
  });
  const watched = new WatchedCluster({
    ...{ client, cluster, queue, changes, log },
    isResponsible: (name) => profiles.has(name),
    deletedWhileBound: (uid) => scheduler.cancel(uid),
  });
  const synced = Promise.withResolvers<void>();
  const lifecycle = createLifecycle([
    ...requestParts({ client, ending, extenders, profiles }),
    {
      name: 'cluster',
      // The API server may be away for any time.
      start: () => void watched.start().then(synced.resolve),
      stop: () => watched.stop(),
    },
    { name: 'scheduler', stop: () => scheduler.stop() },
  ]);
  return {
    name: 'scheduler',
    api: unlimited,
    attempts,
    get pods() {
      return cluster.pods.values();
    },
    synced: synced.promise,
    start: () => lifecycle.start(),
    stop: async () => void (await lifecycle.stop()),
    schedule: () => scheduler.start(),
    finish: () => scheduler.stop(),
  };
}

/** As in kube-scheduler, events have a limit of their own, and renewals of the lease wait for nothing. */
function createApis(
  client: Client,
  { config, mayWrite }: SchedulerAppOptions,
  clock: Clock,
  signal: AbortSignal,
): Record<'api' | 'events' | 'unlimited', SchedulerApi> {
  const { isLimited, qps, burst } = config.clientConnection;
  const create = (limit?: RateLimitConfig) =>
    new SchedulerApi(client, clock, signal, { ...(mayWrite && { mayWrite }), limit });
  const limit = isLimited ? { qps, burst } : undefined;
  return { api: create(limit), events: create(limit), unlimited: create() };
}

const cacheSizes = (cluster: Cluster) => ({
  nodes: cluster.nodes.length,
  pods: cluster.nodes.reduce((sum, { pods }) => sum + pods.size, 0),
  assumedPods: cluster.assumedPods,
});

const queueTimes = (
  { config, maxUnschedulableMs = 300_000 }: SchedulerAppOptions,
  features: FeatureGates,
): QueueTimes => ({
  popsFromBackoff: features.has('SchedulerPopFromBackoffQ'),
  initialBackoffMs: config.podInitialBackoffSeconds * 1000,
  maxBackoffMs: config.podMaxBackoffSeconds * 1000,
  maxUnschedulableMs,
});

interface Requests {
  client: Client;
  ending: AbortController;
  extenders: readonly Extender[];
  profiles: ReadonlyMap<string, RunningProfile>;
}

/** What ends after the scheduler: events are written before the requests are aborted. */
const requestParts = ({ client, ending, extenders, profiles }: Requests): Part[] => [
  { name: 'client', stop: () => client.close() },
  { name: 'requests', stop: () => ending.abort() },
  {
    name: 'events',
    stop: async () => void (await Promise.all([...profiles.values()].map(({ recorder }) => recorder.stop()))),
  },
  { name: 'extenders', stop: () => extenders.forEach((extender) => extender.close()) },
];

type SharedHandle = Pick<
  Handle,
  'api' | 'cluster' | 'clock' | 'features' | 'log' | 'extenders' | 'activate' | 'nominatedPods'
>;

/** Creates the profiles. */
function createProfiles(
  { config, plugins }: SchedulerAppOptions,
  events: SchedulerApi,
  shared: SharedHandle,
): Map<string, RunningProfile> {
  const registry = pluginRegistry(plugins);
  return new Map(
    config.profiles.map((one) => {
      const recorder = new EventRecorder(one.schedulerName, { ...shared, api: events });
      const own = withoutManagedResources(one, config.extenders);
      return [
        one.schedulerName,
        { recorder, profile: profileWithHandle(own, registry, { ...shared, recorder }) },
      ];
    }),
  );
}

/** Plugins get a handle that runs the profile that they are part of. */
export function profileWithHandle(
  config: SchedulerConfig['profiles'][number],
  registry: ReadonlyMap<string, PluginDefinition>,
  shared: Omit<Handle, 'schedulerName' | 'filterNode' | 'addPod' | 'removePod'>,
): Profile {
  const handle: Handle = {
    ...shared,
    schedulerName: config.schedulerName,
    filterNode: (...what) => profile.filterNode(...what),
    addPod: (...what) => profile.addPod(...what),
    removePod: (...what) => profile.removePod(...what),
  };
  const profile: Profile = createProfile(config, registry, handle);
  return profile;
}

async function bindByExtender(
  extenders: readonly Extender[],
  pod: PodInfo,
  node: string,
  log: Logger,
): Promise<'bound' | undefined> {
  for (const extender of extenders) {
    if (!extender.isBinder || !extender.isInterested(pod)) continue;
    try {
      await extender.bind(pod, node);
      return 'bound';
    } catch (error) {
      if (!extender.isIgnorable) throw error;
      log.info('an extender failed and is ignored', { extender: extender.url, error: String(error) });
    }
  }
  return undefined;
}
