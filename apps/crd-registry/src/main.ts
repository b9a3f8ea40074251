import { runStandalone, type StandaloneConfig, standaloneOptions } from '@annex/process';
import { type AdmissionConfig, admissionConflicts, admissionOptions, openAdmission } from '@annex/admission';
import { servedApis, type ServedApisConfig, servedApisConflicts, servedApisOptions } from '@annex/server';
import { ServiceResolver } from '@annex/aggregation';
import { createCrdRegistry } from './app.ts';

process.exit(
  await runStandalone<StandaloneConfig & ServedApisConfig & AdmissionConfig>({
    name: 'crd-registry',
    options: { ...standaloneOptions, ...servedApisOptions, ...admissionOptions },
    conflicts: (config) => [...servedApisConflicts(config), ...admissionConflicts(config)],
    async create({ config, deps, authorizer }) {
      const services = new ServiceResolver(deps.feed);
      const app = createCrdRegistry(
        { ...deps, servedApis: servedApis(config.runtimeConfig) },
        {
          admission: await openAdmission(deps, authorizer, config),
          resolveService: (service) => services.resolve(service),
        },
      );
      return { app, parts: [{ name: 'services', start: () => services.start() }] };
    },
  }),
);
