import { type AdmissionPlugin, type App, createResourceApp, type ServerDeps } from '@annex/server';
import { builtinDocuments } from '@annex/openapi';
import { KindRegistry, registryDiscovery } from '@annex/kinds';
import { bootstrap, type BootstrapConfig } from './bootstrap.ts';
import type { CoreKindsConfig } from './kinds/config.ts';
import { coreKinds, isCoreApiGroup } from './kinds/core-kinds.ts';

/** Configuration of the core API. */
export interface CoreApiConfig extends BootstrapConfig, CoreKindsConfig {
  admission?: readonly AdmissionPlugin[];
}

/** The app that serves the built-in kinds, except for the groups of other apps. */
export function createCoreApi(deps: ServerDeps, config: CoreApiConfig): App {
  const kinds = new KindRegistry();
  for (const kind of coreKinds(deps, config)) kinds.add(kind);
  return createResourceApp({
    name: 'core-api',
    deps,
    kinds,
    discovery: registryDiscovery(kinds, builtinDocuments(kinds, isCoreApiGroup)),
    ...(config.admission ? { admission: config.admission } : {}),
    start: () => bootstrap(deps, config),
  });
}
