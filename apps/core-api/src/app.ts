import { type AdmissionPlugin, type App, createResourceApp, type ServerDeps } from '@annex/server';
import { builtinDocuments } from '@annex/openapi';
import { KindRegistry, registryDiscovery } from '@annex/kinds';
import { bootstrap, type BootstrapConfig } from './bootstrap.ts';
import type { CoreKindsConfig } from './kinds/config.ts';
import { FlowControlKeeper } from './flow-control/keeper.ts';
import { ServerEndpoints } from './server-endpoints.ts';
import { coreKinds, isCoreApiGroup } from './kinds/core-kinds.ts';

/** Configuration of the core API. */
export interface CoreApiConfig extends BootstrapConfig, CoreKindsConfig {
  admission?: readonly AdmissionPlugin[];
  /** False if nobody uses FlowSchemas: their conditions are not written. Default true. */
  enablePriorityAndFairness?: boolean;
}

/** The app that serves the built-in kinds, except for the groups of other apps. */
export function createCoreApi(deps: ServerDeps, config: CoreApiConfig): App {
  const kinds = new KindRegistry();
  const flowControl = new FlowControlKeeper(deps, config.enablePriorityAndFairness ?? true);
  const endpoints = new ServerEndpoints(deps, config);
  for (const kind of coreKinds(deps, config)) kinds.add(kind);
  return createResourceApp({
    name: 'core-api',
    deps,
    kinds,
    discovery: registryDiscovery(kinds, builtinDocuments(kinds, isCoreApiGroup)),
    ...(config.admission ? { admission: config.admission } : {}),
    start: async () =>
      void (await Promise.all([bootstrap(deps, config), endpoints.start(), flowControl.start()])),
    stop: async () => void (await Promise.all([endpoints.stop(), flowControl.stop()])),
  });
}
