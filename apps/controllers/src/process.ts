import {
  alwaysAllowGroups,
  alwaysAllowPaths,
  anonymousAuthenticator,
  privilegedGroup,
  requireCAs,
  unionAuthenticator,
  unionAuthorizer,
  x509Authenticator,
} from '@annex/auth';
import { loadKubeconfig } from '@annex/client';
import {
  createLifecycle,
  createLiveFiles,
  createMetrics,
  type LiveFiles,
  openKeyPair,
  OperatorError,
  type RunningProcess,
  startupLog,
  systemClock,
  type Validated,
  readOptionalFile,
} from '@annex/runtime';
import { createSecureServer, serverUrl } from '@annex/process';
import { versionInfo } from '@annex/server';
import { type ControllersDeps, createControllers } from './controllers.ts';
import { leadershipOf } from './election.ts';
import { type ControllersProcessConfig, controllersOptions } from './options.ts';

type Config = Validated<ControllersProcessConfig>;

/** Starts the controllers in a separate process that serves health and metrics. Throws OperatorError. */
export async function startControllers(config: Config): Promise<RunningProcess> {
  const log = startupLog('controllers', controllersOptions, config);
  const deps = { clock: systemClock, log, metrics: createMetrics() };
  const client = await loadKubeconfig(config.kubeconfig);
  const rootCa = (await readOptionalFile(config.rootCaFile)) ?? client.ca;
  if (rootCa === undefined) {
    throw new OperatorError('FILE_UNREADABLE', 'the kubeconfig contains no CA: --root-ca-file is required');
  }
  const lost = Promise.withResolvers<Error>();
  const leadership = leadershipOf(config, () =>
    lost.resolve(new OperatorError('LEADERSHIP_LOST', 'another process is the leader now')),
  );
  const controllers = createControllers(deps, {
    client,
    controllers: config.controllers,
    rootCa,
    serviceAccountKey: await readOptionalFile(config.serviceAccountPrivateKeyFile),
    ...(config.leaderElect ? { leaderElection: leadership } : {}),
  });
  const files = createLiveFiles(deps.log);
  const server = await healthServer(config, deps, files);
  const port = await server.listen();
  const lifecycle = createLifecycle([
    { name: 'files', stop: () => files.close() },
    { name: 'listener', stop: () => server.close() },
    controllers,
  ]);
  await lifecycle.start();
  return {
    about: serverUrl(config.bindAddress, port),
    ended: lost.promise,
    stop: () => lifecycle.stop(),
  };
}

/** Serves `/healthz` to all clients, and `/metrics` to members of the privileged group. */
async function healthServer(config: Config, deps: ControllersDeps, files: LiveFiles) {
  const [certificate, clientCa] = await Promise.all([
    openKeyPair(files, config.tlsCertFile, config.tlsPrivateKeyFile),
    config.clientCaFile === undefined ? undefined : files.open(config.clientCaFile, requireCAs),
  ]);
  return createSecureServer({
    config: { ...config, ...limits },
    deps,
    certificate,
    authenticator: unionAuthenticator(
      clientCa === undefined ? [] : [x509Authenticator({ caPem: clientCa })],
      anonymousAuthenticator,
    ),
    authorizer: unionAuthorizer([
      alwaysAllowPaths('/healthz', '/livez', '/readyz'),
      alwaysAllowGroups(privilegedGroup),
    ]),
    routes: {
      about: {
        checks: [{ name: 'ping', check: () => undefined }],
        metrics: deps.metrics,
        version: versionInfo,
      },
    },
  });
}

const limits = { requestTimeout: 60_000, maxRequestsInflight: 400 };
