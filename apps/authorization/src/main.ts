import { admissionPlugins, runStandalone, standaloneOptions } from '@annex/server';
import { createAuthorizationApp } from './app.ts';

process.exit(
  await runStandalone({
    name: 'authorization',
    options: standaloneOptions,
    create: ({ deps, authorizer, rbac }) => ({
      app: createAuthorizationApp(
        { ...deps, authorizer, rules: rbac },
        { admission: admissionPlugins(deps, authorizer) },
      ),
    }),
  }),
);
