import { runStandalone, type StandaloneConfig, standaloneOptions } from '@annex/process';
import { type AdmissionConfig, admissionConflicts, admissionOptions, openAdmission } from '@annex/admission';
import { servedApis, type ServedApisConfig, servedApisConflicts, servedApisOptions } from '@annex/server';
import { createAuthorizationApp } from './app.ts';

process.exit(
  await runStandalone<StandaloneConfig & ServedApisConfig & AdmissionConfig>({
    name: 'authorization',
    options: { ...standaloneOptions, ...servedApisOptions, ...admissionOptions },
    conflicts: (config) => [...servedApisConflicts(config), ...admissionConflicts(config)],
    create: async ({ config, deps, authorizer, rbac }) => ({
      app: createAuthorizationApp(
        { ...deps, servedApis: servedApis(config.runtimeConfig), authorizer, rules: rbac },
        { admission: await openAdmission(deps, authorizer, config) },
      ),
    }),
  }),
);
