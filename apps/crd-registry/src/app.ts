import { noSuchResource } from '@annex/machinery';
import {
  type AdmissionPlugin,
  type App,
  createResourceApp,
  sendNotServed,
  type ServerDeps,
} from '@annex/server';
import { type ResolveService, WebhookClient } from '@annex/admission';
import { KindRegistry } from '@annex/kinds';
import { betaCrdKind } from './beta/beta-kind.ts';
import { type Crd, crdGroup } from './crd/crd.ts';
import { crdKind } from './crd/crd-kind.ts';
import { CrdLifeCycle } from './life-cycle/life-cycle.ts';
import { customDiscovery } from './publishing/discovery.ts';
import { customDocuments } from './publishing/documents.ts';
import { type Converter, renamingConverter } from './served/converter.ts';
import { ServedCrds } from './served/served-crds.ts';
import { webhookConverter } from './served/webhook-converter.ts';

/** Configuration of the CRD registry. */
export interface CrdRegistryConfig {
  admission?: readonly AdmissionPlugin[];
  /** Resolves the services of conversion webhooks; without it, only webhooks with a URL can be called. */
  resolveService?: ResolveService;
}

/** The app that serves `apiextensions.k8s.io` and every custom resource. */
export function createCrdRegistry(deps: ServerDeps, config: CrdRegistryConfig): App {
  const kinds = new KindRegistry();
  const now = () => deps.clock.now();
  const crds = crdKind(now);
  kinds.add(crds);
  kinds.add(betaCrdKind(crds, now));
  const served = new ServedCrds(
    kinds,
    (crd) => converterOf(crd, { ...config, egress: deps.egress }),
    deps.clock,
  );
  const lifeCycle = new CrdLifeCycle(deps, crds, served);
  return createResourceApp({
    name: 'crd-registry',
    deps,
    kinds,
    discovery: customDiscovery(kinds, customDocuments(kinds, served)),
    ...(config.admission ? { admission: config.admission } : {}),
    fallback(request) {
      const { apiGroup, apiVersion, resource } = request.info;
      if (apiGroup === crdGroup) throw noSuchResource();
      served.throwIfBroken(apiGroup, apiVersion, resource);
      sendNotServed(request);
    },
    start: () => lifeCycle.start(),
    stop: () => lifeCycle.stop(),
  });
}

function converterOf(crd: Crd, config: CrdRegistryConfig & Pick<ServerDeps, 'egress'>): Converter {
  const { strategy, webhook } = crd.spec.conversion ?? {};
  if (strategy !== 'Webhook' || webhook?.clientConfig === undefined) return renamingConverter;
  const client = new WebhookClient(
    webhook.clientConfig,
    config.resolveService ?? noService,
    {},
    config.egress,
  );
  const converter = webhookConverter((body) => client.post(body), webhook.conversionReviewVersions ?? []);
  return { ...converter, close: () => client.close() };
}

const noService: ResolveService = ({ name }) => {
  throw new Error(`service ${JSON.stringify(name)} cannot be resolved by this server`);
};
