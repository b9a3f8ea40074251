import {
  type AdmissionPlugin,
  type App,
  createResourceApp,
  KindRegistry,
  registryDiscovery,
  type ServerDeps,
} from '@annex/server';
import { bootstrap, type BootstrapConfig } from './bootstrap.ts';
import { coreKinds, type CoreKindsConfig } from './kinds.ts';
import { builtinDocuments } from './open-api.ts';

/** What the core API is made with. */
export interface CoreApiConfig extends BootstrapConfig, CoreKindsConfig {
  admission?: readonly AdmissionPlugin[];
}

/** The app that serves the built-in kinds, all but those of the groups that are apps of their own. */
export function createCoreApi(deps: ServerDeps, config: CoreApiConfig): App {
  const kinds = new KindRegistry();
  for (const kind of coreKinds(deps, config)) kinds.add(kind);
  return createResourceApp({
    name: 'core-api',
    deps,
    kinds,
    discovery: registryDiscovery(kinds, builtinDocuments(kinds)),
    ...(config.admission ? { admission: config.admission } : {}),
    start: () => bootstrap(deps, config),
  });
}
