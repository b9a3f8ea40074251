import { aggregateText } from '@annex/auth';
import { writeFileSync } from 'node:fs';
import { type ClientConfig, inClusterConfig, type LeaderElection, loadKubeconfig } from '@annex/client';
import { encodeYaml, type JsonValue } from '@annex/machinery';
import {
  createLifecycle,
  createLogger,
  createMetrics,
  type LogLevel,
  OperatorError,
  type RunningProcess,
  startupValues,
  systemClock,
  type Validated,
} from '@annex/runtime';
import type { HealthCheck } from '@annex/server';
import { decodeConfiguration, defaultConfiguration } from './config/decode.ts';
import { type FeatureGates, readFeatureGates } from './config/feature-gates.ts';
import type { LeaderElectionConfig, SchedulerConfig } from './config/types.ts';
import { validateConfiguration } from './config/validate.ts';
import { type SchedulerProcessConfig, schedulerOptions } from './options.ts';
import type { DefinedPlugin } from './framework/define-plugin.ts';
import { loadPlugins } from './framework/load-plugins.ts';
import { alwaysLeading, createElection, electionPart } from './leading.ts';
import { readExistingFile, requireFiles } from './required-files.ts';
import { createScheduler, type SchedulerApp, type SchedulerAppDeps } from './scheduler-app.ts';
import { configurationObject } from './server/configz.ts';
import { createHealthServer } from './server/health-server.ts';

type Options = Validated<SchedulerProcessConfig>;

/** What the caller of a scheduler gives it besides options. */
export interface StartedWith {
  /** Plugins besides those of the modules that options name. */
  plugins?: readonly DefinedPlugin[];
  /** A KubeSchedulerConfiguration in YAML or JSON, instead of a file. */
  config?: string;
}

/** Starts what `annex scheduler` runs. Throws OperatorError. */
export async function startSchedulerProcess(
  options: Options,
  given: StartedWith = {},
): Promise<RunningProcess> {
  const log = createLogger({ level: options.logLevel as LogLevel | 'off', format: options.logFormat });
  log.info('starting scheduler', startupValues(schedulerOptions, options));
  const features = gatesOf(options);
  const config = await configurationOf(options, given.config).catch(refuse);
  if (options.writeConfigTo !== undefined) return writeConfiguration(config, options.writeConfigTo);
  await requireFiles(options).catch(refuse);
  const client = await clientOf(options, config);
  const deps: SchedulerAppDeps = { clock: systemClock, log, metrics: createMetrics() };
  const plugins = [...(given.plugins ?? []), ...(await loadPlugins(options.plugin))];
  const maxUnschedulableMs = options.podMaxInUnschedulablePodsDuration;
  const { leaderElection } = config;
  let lease: LeaderElection | undefined;
  const mayWrite = (): boolean => !leaderElection.leaderElect || lease?.isHeld === true;
  const scheduler = await Promise.resolve()
    .then(() => createScheduler(deps, { client, config, features, mayWrite, plugins, maxUnschedulableMs }))
    .catch(refuse);
  const lost = Promise.withResolvers<Error>();
  const endLost = () => lost.resolve(new OperatorError('LEADERSHIP_LOST', 'leaderelection lost'));
  if (leaderElection.leaderElect) lease = createElection(scheduler, { config, deps, lost: endLost });
  const election =
    lease === undefined
      ? alwaysLeading(scheduler)
      : electionPart(scheduler, lease, { config, lost: endLost });
  const health = createHealthChecks(scheduler, leaderElection.leaderElect);
  const server =
    options.securePort === 0
      ? undefined
      : await createHealthServer(deps, options, {
          attempts: scheduler.attempts,
          checks: health,
          config,
          pods: () => scheduler.pods,
        });
  const lifecycle = createLifecycle([...(server === undefined ? [] : [server]), scheduler, election]);
  await lifecycle.start();
  return {
    about: server?.url ?? 'without a health port',
    ended: lost.promise,
    async stop() {
      const errors = await lifecycle.stop();
      // kube-scheduler ends with this error as well.
      const end = new OperatorError('SCHEDULER_ENDED', 'finished without leader elect');
      return leaderElection.leaderElect ? errors : [...errors, end];
    },
  };
}

function refuse(error: unknown): never {
  if (error instanceof OperatorError) throw error;
  throw new OperatorError('SCHEDULER_CONFIGURATION_INVALID', (error as Error).message, { cause: error });
}

function gatesOf({ featureGates }: Options): FeatureGates {
  const { gates, errors } = readFeatureGates(featureGates);
  return errors.length > 0 ? refuse(new Error(aggregateText(errors))) : gates;
}

/** Reads and validates the configuration; options of leader election have priority. */
async function configurationOf(options: Options, given: string | undefined): Promise<SchedulerConfig> {
  const read = await readConfiguration(options, given);
  const config = { ...read, leaderElection: electionOf(read.leaderElection, options) };
  const errors = validateConfiguration(config);
  if (errors.length > 0) throw new Error(aggregateText(errors));
  const { leaderElect, renewDeadlineMs, retryPeriodMs } = config.leaderElection;
  if (leaderElect && renewDeadlineMs <= 1.2 * retryPeriodMs)
    throw new Error(
      "couldn't create leader elector: renewDeadline must be greater than retryPeriod*JitterFactor",
    );
  return config;
}

/** Reads the file, or what the caller gives. A file names its kubeconfig itself. */
async function readConfiguration(options: Options, given: string | undefined): Promise<SchedulerConfig> {
  const { config: file, kubeconfig, acceptEarlierConfig: acceptEarlierVersions } = options;
  if (file !== undefined)
    return await decodeConfiguration(await readExistingFile(file), { acceptEarlierVersions });
  if (given === undefined) return withRate(withConnection(defaultConfiguration(), kubeconfig), options);
  const config = await decodeConfiguration(given, { acceptEarlierVersions });
  return withConnection(config, config.clientConnection.kubeconfig || kubeconfig);
}

const withConnection = (config: SchedulerConfig, kubeconfig = ''): SchedulerConfig => ({
  ...config,
  clientConnection: { ...config.clientConnection, kubeconfig },
});

/** As in client-go, a rate that is not positive is no limit. */
function withRate(config: SchedulerConfig, { kubeApiQps, kubeApiBurst }: Options): SchedulerConfig {
  const { qps, burst, ...connection } = config.clientConnection;
  const rate = { qps: Number(kubeApiQps) || qps, burst: kubeApiBurst || burst };
  return { ...config, clientConnection: { ...connection, ...rate, isLimited: Number(kubeApiQps) > 0 } };
}

const electionOf = (config: LeaderElectionConfig, options: Options): LeaderElectionConfig => ({
  leaderElect: options.leaderElect ?? config.leaderElect,
  leaseDurationMs: options.leaderElectLeaseDuration ?? config.leaseDurationMs,
  renewDeadlineMs: options.leaderElectRenewDeadline ?? config.renewDeadlineMs,
  retryPeriodMs: options.leaderElectRetryPeriod ?? config.retryPeriodMs,
  resourceLock: options.leaderElectResourceLock ?? config.resourceLock,
  resourceName: options.leaderElectResourceName ?? config.resourceName,
  resourceNamespace: options.leaderElectResourceNamespace ?? config.resourceNamespace,
});

async function clientOf({ master }: Options, config: SchedulerConfig): Promise<ClientConfig> {
  const { kubeconfig } = config.clientConnection;
  const access = kubeconfig === '' ? inClusterConfig() : await loadKubeconfig(kubeconfig);
  if (access !== undefined) return master === '' ? access : { ...access, server: master };
  if (master !== '') return { server: master };
  throw new OperatorError(
    'SCHEDULER_CONFIGURATION_INVALID',
    'invalid configuration: no configuration has been provided, try setting KUBERNETES_MASTER environment variable',
  );
}

function writeConfiguration(config: SchedulerConfig, file: string): RunningProcess {
  writeFileSync(file, encodeYaml(configurationObject(config) as JsonValue));
  return { about: `wrote ${file}`, ended: Promise.resolve(undefined), stop: () => Promise.resolve([]) };
}

function createHealthChecks(scheduler: SchedulerApp, leaderElect: boolean): HealthCheck[] {
  let isSynced = false;
  void scheduler.synced.then(() => (isSynced = true));
  return [
    ...(leaderElect
      ? [{ name: 'leaderElection', check: () => undefined, endpoints: ['healthz', 'readyz'] }]
      : [{ name: 'ping', check: () => undefined, endpoints: ['healthz'] }]),
    { name: 'ping', check: () => undefined, endpoints: ['livez'] },
    { name: 'shutdown', check: () => undefined, endpoints: ['readyz'] },
    {
      name: 'sched-handler-sync',
      endpoints: ['readyz'],
      check() {
        if (!isSynced) throw new Error('handlers are not fully synchronized');
      },
    },
  ];
}
