import { noSuchResource } from '@annex/machinery';
import {
  type AdmissionPlugin,
  type App,
  createResourceApp,
  KindRegistry,
  sendNotServed,
  type ServerDeps,
} from '@annex/server';
import { crdGroup } from './definition/crd.ts';
import { crdKind } from './definition/crd-kind.ts';
import { CrdLifeCycle } from './life-cycle/life-cycle.ts';
import { customDiscovery } from './publishing/discovery.ts';
import { customDocuments } from './publishing/documents.ts';
import { renamingConverter } from './served/converter.ts';
import { ServedCrds } from './served/served-crds.ts';

/** What the CRD registry is made with. */
export interface CrdRegistryConfig {
  admission?: readonly AdmissionPlugin[];
}

/** The app that serves `apiextensions.k8s.io` and every custom resource. */
export function createCrdRegistry(deps: ServerDeps, config: CrdRegistryConfig): App {
  const kinds = new KindRegistry();
  kinds.add(crdKind(() => deps.clock.now()));
  const served = new ServedCrds(kinds, () => renamingConverter);
  const lifeCycle = new CrdLifeCycle(deps, served);
  return createResourceApp({
    name: 'crd-registry',
    deps,
    kinds,
    discovery: customDiscovery(kinds, customDocuments(kinds, served)),
    ...(config.admission ? { admission: config.admission } : {}),
    fallback(ctx) {
      if (ctx.info.apiGroup === crdGroup) throw noSuchResource();
      sendNotServed(ctx);
    },
    start: () => lifeCycle.start(),
    stop: () => lifeCycle.stop(),
  });
}
