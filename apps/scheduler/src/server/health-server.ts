import {
  alwaysAllowGroups,
  alwaysAllowPaths,
  anonymousAuthenticator,
  createCA,
  delegatedAuthorizer,
  issueServingCertificate,
  privilegedGroup,
  unionAuthenticator,
  unionAuthorizer,
} from '@annex/auth';
import { Buffer } from 'node:buffer';
import { Client, inClusterConfig, loadKubeconfig } from '@annex/client';
import { stringifyJson } from '@annex/machinery';
import { createSecureServer, DelegatedIdentities, openTrust, serverUrl } from '@annex/process';
import {
  createLiveFiles,
  fixedKeyPair,
  type LiveFiles,
  openKeyPair,
  type Part,
  type Validated,
} from '@annex/runtime';
import type { RequestContext } from '@annex/kinds';
import { type HealthCheck, sendBody, versionInfo } from '@annex/server';
import type { SchedulerConfig } from '../config/types.ts';
import type { SchedulerProcessConfig } from '../options.ts';
import type { SchedulerAppDeps } from '../scheduler-app.ts';
import type { PodInfo } from '../objects/pod-info.ts';
import type { Attempts } from '../explain/attempts.ts';
import { attemptsHandler } from './attempts-path.ts';
import { configurationObject } from './configz.ts';
import { podResourcesPath, renderPodResources } from './pod-resources.ts';
import { flagzText, statuszText } from './zpages.ts';

type Options = Validated<SchedulerProcessConfig>;

/** The health port. */
export interface HealthServer extends Part {
  /** The URL; known after the start. Empty without a port. */
  readonly url: string;
}

/** What the server shows. */
interface Served {
  attempts: Attempts;
  checks: readonly HealthCheck[];
  config: SchedulerConfig;
  /** All Pods that the scheduler sees. */
  pods(): Iterable<PodInfo>;
}

/** Creates the server of health, metrics and configuration; authentication and authorization are those of the API server. */
export async function createHealthServer(
  deps: SchedulerAppDeps,
  options: Options,
  { attempts, checks, config, pods }: Served,
): Promise<HealthServer> {
  const files = createLiveFiles(deps.log);
  const clients: Client[] = [];
  const connect = async (kubeconfig: string | undefined): Promise<Client | undefined> => {
    const access = await accessOf(kubeconfig);
    if (access === undefined) return undefined;
    const client = new Client(access);
    clients.push(client);
    return client;
  };
  const identities = await delegatedIdentities(
    deps,
    options,
    files,
    await connect(options.authenticationKubeconfig),
  );
  const pages = pagesOf(deps, options, { config, pods });
  const server = createSecureServer({
    config: {
      bindAddress: options.bindAddress,
      port: options.securePort,
      requestTimeout: 60_000,
      maxRequestsInflight: 400,
    },
    deps,
    certificate: await certificateOf(options, files),
    authenticator: identities?.authenticator ?? unionAuthenticator([], anonymousAuthenticator),
    authorizer: authorizerOf(options, await connect(options.authorizationKubeconfig)),
    routes: {
      about: { checks, metrics: deps.metrics, version: versionInfo },
      app(request) {
        const page = pages.get(request.path);
        return page === undefined ? attemptsHandler(request, attempts) : page(request);
      },
    },
  });
  let url = '';
  return {
    name: 'health',
    get url() {
      return url;
    },
    async start() {
      url = serverUrl(options.bindAddress, await server.listen());
      // Clients with certificates are anonymous until the CAs are known.
      identities?.start().catch(() => undefined);
    },
    async stop() {
      await Promise.all([server.close(), identities?.stop()]);
      files.close();
      clients.forEach((client) => client.close());
    },
  };
}

type Page = (request: RequestContext) => void | Promise<void>;

/** The pages besides health and metrics, by path. */
function pagesOf(
  { clock }: SchedulerAppDeps,
  options: Options,
  { config, pods }: Pick<Served, 'config' | 'pods'>,
): ReadonlyMap<string, Page> {
  const started = clock.now();
  const text = (body: string): [number, string, string] => [200, 'text/plain; charset=utf-8', body];
  return new Map<string, Page>([
    [
      '/configz',
      (request) => {
        const body = Buffer.from(stringifyJson({ componentconfig: configurationObject(config) }));
        sendBody(request, 200, 'application/json', body);
      },
    ],
    ['/statusz', (request) => sendBody(request, ...text(statuszText(started, clock.now())))],
    ['/flagz', (request) => sendBody(request, ...text(flagzText(options)))],
    [
      podResourcesPath,
      async (request) => {
        const { body, contentType } = await renderPodResources(pods());
        sendBody(request, 200, contentType, body);
      },
    ],
  ]);
}

/** Without a kubeconfig the identity is that of the Pod. */
const accessOf = async (kubeconfig: string | undefined) =>
  kubeconfig === undefined ? inClusterConfig() : await loadKubeconfig(kubeconfig);

async function delegatedIdentities(
  { log }: SchedulerAppDeps,
  options: Options,
  files: LiveFiles,
  client: Client | undefined,
): Promise<DelegatedIdentities | undefined> {
  if (client === undefined) return undefined;
  const { clientCaFile, requestheaderClientCaFile } = options;
  const trust = await openTrust(
    {
      ...(clientCaFile === undefined ? {} : { 'client-ca-file': { file: clientCaFile } }),
      ...(requestheaderClientCaFile === undefined
        ? {}
        : { 'requestheader-client-ca-file': { file: requestheaderClientCaFile } }),
    },
    files,
  );
  return new DelegatedIdentities({
    client,
    log,
    tokenTtl: 10_000,
    trust,
    startTimeout: 2 ** 31 - 1,
  });
}

function authorizerOf({ authorizationAlwaysAllowPaths }: Options, client: Client | undefined) {
  return unionAuthorizer([
    alwaysAllowPaths(...authorizationAlwaysAllowPaths),
    alwaysAllowGroups(privilegedGroup),
    ...(client === undefined ? [] : [delegatedAuthorizer({ client })]),
  ]);
}

async function certificateOf({ tlsCertFile, tlsPrivateKeyFile }: Options, files: LiveFiles) {
  if (tlsCertFile !== undefined && tlsPrivateKeyFile !== undefined)
    return await openKeyPair(files, tlsCertFile, tlsPrivateKeyFile);
  const ca = await createCA('kube-scheduler');
  const names = ['localhost', '127.0.0.1'];
  return fixedKeyPair(await issueServingCertificate(ca, { commonName: 'localhost', subjectAltNames: names }));
}
