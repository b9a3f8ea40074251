import { type AppConfig, appConflicts, appOptions, standaloneProgram } from '@annex/process';
import { openAdmission } from '@annex/admission';
import { ServiceResolver } from '@annex/aggregation';
import { createCrdRegistry } from './app.ts';

/** The CRD registry in a separate process. */
export const crdRegistryProgram = standaloneProgram<AppConfig>({
  name: 'crd-registry',
  options: appOptions,
  conflicts: appConflicts,
  async create({ config, deps, authorizer }) {
    const services = new ServiceResolver(deps.feed);
    const app = createCrdRegistry(deps, {
      admission: await openAdmission(deps, authorizer, config),
      resolveService: (service) => services.resolve(service),
    });
    return { app, parts: [{ name: 'services', start: () => services.start() }] };
  },
});
