import { parseJson } from '@annex/machinery';
import type { Part } from '@annex/runtime';
import { peerAt, type PeerCertificates } from '@annex/process';
import { type ApiTargets, type Handler, type ServerDeps, type TraceView, tracesPath } from '@annex/server';
import {
  aggregatorUser,
  defaultIdentityHeaders,
  identityHeaders,
  type Peer,
  RemoteDiscovery,
} from '@annex/aggregation';
import { fetchWhole } from '@annex/http';
import type { FrontProxyConfig } from './options.ts';
import { remoteHandler } from './remote-handler.ts';

/** The other processes of Annex, as the front proxy uses them. */
export interface RemoteApps {
  /** Discovery of the apps whose groups get local APIServices. */
  sources: readonly RemoteDiscovery[];
  /** The routes to the apps. The built-in groups are known when the part has started. */
  routes: Omit<ApiTargets, 'extensionServer'> & { builtin: Map<string, Handler> };
  /** Follows the discovery of the apps. Start it before the front proxy. */
  part: Part;
  /** Resolves when the discovery process lists everything, this process included. */
  ready(): Promise<void>;
  /** Returns the request traces of the apps, without those of processes that do not respond. */
  traces(query: string): Promise<TraceView[]>;
}

type Urls = Pick<FrontProxyConfig, 'coreApiUrl' | 'crdRegistryUrl' | 'authorizationUrl' | 'discoveryUrl'>;

interface RemoteApp {
  handler: Handler;
  source: RemoteDiscovery;
}

/** Connects to the apps under their URLs. */
export function remoteApps(urls: Urls, certificates: PeerCertificates, deps: ServerDeps): RemoteApps {
  const coreApi = peerAt('core-api', urls.coreApiUrl, certificates);
  const authorization = peerAt('authorization', urls.authorizationUrl, certificates);
  const crdRegistry = peerAt('crd-registry', urls.crdRegistryUrl, certificates);
  const discovery = peerAt('discovery', urls.discoveryUrl, certificates);
  const peers = [coreApi, authorization, crdRegistry, discovery];
  const follow = (peer: Peer): RemoteApp => ({
    handler: remoteHandler(peer),
    source: new RemoteDiscovery(peer, deps),
  });
  const apps = [coreApi, authorization].map(follow);
  const custom = follow(crdRegistry);
  const sources = [...apps, custom].map(({ source }) => source);
  const builtin = new Map([['apiextensions.k8s.io', custom.handler]]);
  return {
    sources,
    routes: { builtin, custom: custom.handler, documents: remoteHandler(discovery) },
    part: {
      name: 'other apps',
      async start() {
        for (const source of sources) source.start();
        await Promise.all(sources.map((source) => source.responded()));
        for (const [group, handler] of (await Promise.all(apps.map(groupsOf))).flat())
          builtin.set(group, handler);
      },
      async stop() {
        await Promise.all(sources.map((source) => source.stop()));
        for (const { transport } of peers) transport.close();
      },
    },
    ready: () => isReady(discovery, deps),
    traces: async (query) => (await Promise.all(peers.map((peer) => tracesOf(peer, query, deps)))).flat(),
  };
}

/** Resolves to the groups of built-in kinds that an app serves; they do not change while it runs. */
async function groupsOf({ handler, source }: RemoteApp): Promise<[string, Handler][]> {
  return (await source.groups()).map(({ metadata }) => [metadata.name ?? '', handler]);
}

const asAggregator = ['user-agent', 'annex', ...identityHeaders(aggregatorUser, defaultIdentityHeaders)];
/** Milliseconds that an app in another process has to send its traces. */
export const peerTraceTimeoutMs = 5_000;
/** Maximum bytes of the traces of an app in another process. */
export const maxPeerTraceBytes = 64 * 1024 * 1024;
const traceLimits = { timeoutMs: peerTraceTimeoutMs, maxBytes: maxPeerTraceBytes };

async function tracesOf(peer: Peer, query: string, { log }: ServerDeps): Promise<TraceView[]> {
  try {
    const requested = { method: 'GET', path: `${tracesPath}?${query}`, headers: asAggregator };
    const { body, status } = await fetchWhole({ ...peer, ...requested }, traceLimits);
    if (status !== 200) throw new Error(`status ${status}`);
    return (parseJson(body.toString()) as unknown as { traces: TraceView[] }).traces;
  } catch (error) {
    log.info('an app did not send its traces', { app: peer.name, error });
    return [];
  }
}

const probe = { method: 'GET', path: '/readyz', headers: asAggregator };
const probeLimits = { timeoutMs: 5_000, maxBytes: 64 * 1024 };
const probePauseMs = 50;

async function isReady(peer: Peer, { clock, log }: ServerDeps): Promise<void> {
  for (;;) {
    try {
      const { status } = await fetchWhole({ ...peer, ...probe }, probeLimits);
      if (status === 200) return;
    } catch (error) {
      log.info('an app is not reachable yet', { app: peer.name, error });
    }
    await clock.sleep(probePauseMs);
  }
}
