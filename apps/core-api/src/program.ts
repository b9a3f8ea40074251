import {
  openAuthentication,
  type ProgramContext,
  readServiceAccountKeys,
  standaloneProgram,
  tokenIssuerOf,
} from '@annex/process';
import { openAdmission } from '@annex/admission';
import { createCoreApi } from './app.ts';
import { IpRange } from './kinds/core/services/ip-range.ts';
import { coreApiConflicts, coreApiOptions, type CoreApiProcessConfig } from './options.ts';

/** The core API in a separate process. */
export const coreApiProgram = standaloneProgram<CoreApiProcessConfig>({
  name: 'core-api',
  options: coreApiOptions,
  conflicts: coreApiConflicts,
  create,
});

async function create({ authorizer, config, deps, files }: ProgramContext<CoreApiProcessConfig>) {
  const { signingKey, verificationKeys } = await readServiceAccountKeys(config);
  const authentication = await openAuthentication(config, { files, deps, verificationKeys });
  const app = createCoreApi(deps, {
    admission: await openAdmission(deps, authorizer, config),
    authenticator: authentication.reviews,
    serviceClusterIpRange: new IpRange(config.serviceClusterIpRange),
    advertise: { address: config.advertiseAddress, port: config.advertisePort },
    enablePriorityAndFairness: config.enablePriorityAndFairness,
    eventTtlSeconds: Math.round(config.eventTtl / 1000),
    ...(signingKey === undefined ? {} : { tokenIssuer: tokenIssuerOf(config, signingKey, deps) }),
  });
  return { app, parts: [authentication.part] };
}
