import {
  admissionPlugins,
  runStandalone,
  servedApis,
  servedApisConflicts,
  servedApisOptions,
  standaloneOptions,
} from '@annex/server';
import { createAuthorizationApp } from './app.ts';

process.exit(
  await runStandalone({
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
