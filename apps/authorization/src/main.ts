import {
  admissionPlugins,
  runStandalone,
  servedApis,
  type ServedApisConfig,
  servedApisConflicts,
  servedApisOptions,
  type StandaloneConfig,
  standaloneOptions,
} from '@annex/server';
import { createAuthorizationApp } from './app.ts';

process.exit(
  await runStandalone<StandaloneConfig & ServedApisConfig>({
    name: 'authorization',
    options: { ...standaloneOptions, ...servedApisOptions },
    conflicts: servedApisConflicts,
    create: ({ config, deps, authorizer, rbac }) => ({
      app: createAuthorizationApp(
        { ...deps, servedApis: servedApis(config.runtimeConfig), authorizer, rules: rbac },
        { admission: admissionPlugins(deps, authorizer) },
      ),
    }),
  }),
);
