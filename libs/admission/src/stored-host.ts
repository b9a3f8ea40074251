import type { ServerDeps } from '@annex/server';
import { ServiceResolver } from '@annex/aggregation';
import { StoredParams } from './policies/stored-params.ts';
import type { AdmissionHost } from './host.ts';
import { namespaceFinder } from './selectors.ts';

/** Creates the host of a server that uses its own store. */
export function storedHost(deps: ServerDeps): AdmissionHost {
  const { egress, feed, log, metrics } = deps;
  const services = new ServiceResolver(feed);
  const params = new StoredParams(feed);
  return {
    log,
    metrics,
    egress,
    objects: (prefix) => feed.objects(prefix),
    findNamespace: namespaceFinder(deps),
    async resolveService(service) {
      await services.start();
      return services.resolve(service);
    },
    findParams: (kind) => params.find(kind),
  };
}
