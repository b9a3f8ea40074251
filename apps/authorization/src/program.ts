import { type AppConfig, appConflicts, appOptions, standaloneProgram } from '@annex/process';
import { openAdmission } from '@annex/admission';
import { createAuthorizationApp } from './app.ts';

/** The authorization app in a separate process. */
export const authorizationProgram = standaloneProgram<AppConfig>({
  name: 'authorization',
  options: appOptions,
  conflicts: appConflicts,
  create: async ({ config, deps, authorizer, rbac }) => ({
    app: createAuthorizationApp(
      { ...deps, authorizer, rules: rbac },
      { admission: await openAdmission(deps, authorizer, config) },
    ),
  }),
});
