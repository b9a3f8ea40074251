import { bearerTokenAuthenticator } from '@annex/auth';
import {
  extensionAuthentication,
  forwardedIdentity,
  openAuthentication,
  openIdDocuments,
  openPeerCertificates,
  readVerificationKeys,
  runStandalone,
  serviceRouting,
  type StandaloneContext,
  type StandaloneParts,
} from '@annex/process';
import { openAdmission } from '@annex/admission';
import { createFrontProxy } from './app.ts';
import { type FrontProxyConfig, frontProxyConflicts, frontProxyOptions } from './options.ts';
import { remoteApps } from './remote-apps.ts';

process.exit(
  await runStandalone({
    name: 'front-proxy',
    options: frontProxyOptions,
    conflicts: frontProxyConflicts,
    create,
  }),
);

async function create(context: StandaloneContext<FrontProxyConfig>): Promise<StandaloneParts> {
  const { authorizer, config, deps, files } = context;
  const certificates = await openPeerCertificates(config, files);
  const verificationKeys = await readVerificationKeys(config);
  const authentication = await openAuthentication(config, { files, deps, verificationKeys });
  const address = `${config.advertiseAddress}:${config.advertisePort}`;
  const app = createFrontProxy(deps, {
    identityHeaders: forwardedIdentity(config),
    routing: serviceRouting(config),
    admission: await openAdmission(deps, authorizer, config),
    client: () => certificates.client.current(),
    extensionAuthentication: extensionAuthentication(config, context),
  });
  const apps = remoteApps(app, config, certificates, deps);
  return {
    app,
    parts: [authentication.part, apps.part],
    ready: () => apps.ready(),
    traces: apps.traces,
    apiPaths: () => app.paths(),
    documents: openIdDocuments({ config, address, verificationKeys, log: deps.log }),
    facesClients: true,
    authenticators: [bearerTokenAuthenticator(authentication.tokens)],
    anonymous: authentication.anonymous ?? 'nobody',
  };
}
