import { readOptionalFile } from '@annex/runtime';
import {
  openAuthentication,
  readVerificationKeys,
  runStandalone,
  type StandaloneContext,
  tokenIssuerOf,
} from '@annex/process';
import { openAdmission } from '@annex/admission';
import { servedApis } from '@annex/server';
import { createCoreApi } from './app.ts';
import { coreApiConflicts, coreApiOptions, type CoreApiProcessConfig } from './options.ts';
import { IpRange } from './kinds/core/services/ip-range.ts';

process.exit(
  await runStandalone({ name: 'core-api', options: coreApiOptions, conflicts: coreApiConflicts, create }),
);

async function create({ authorizer, config, deps, files }: StandaloneContext<CoreApiProcessConfig>) {
  const [signingKey, verificationKeys] = await Promise.all([
    readOptionalFile(config.serviceAccountSigningKeyFile),
    readVerificationKeys(config),
  ]);
  const authentication = await openAuthentication(config, { files, deps, verificationKeys });
  const app = createCoreApi(
    { ...deps, servedApis: servedApis(config.runtimeConfig) },
    {
      admission: await openAdmission(deps, authorizer, config),
      authenticator: authentication.reviews,
      serviceClusterIpRange: new IpRange(config.serviceClusterIpRange),
      advertise: { address: config.advertiseAddress, port: config.advertisePort },
      eventTtlSeconds: Math.round(config.eventTtl / 1000),
      ...(signingKey === undefined ? {} : { tokenIssuer: tokenIssuerOf(config, signingKey, deps) }),
    },
  );
  return { app, parts: [authentication.part] };
}
