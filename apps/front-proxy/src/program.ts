import { bearerTokenAuthenticator } from '@annex/auth';
import {
  extensionAuthentication,
  forwardedIdentity,
  openAuthentication,
  openIdDocuments,
  openPeerCertificates,
  type ProgramContext,
  readServiceAccountKeys,
  serviceRouting,
  type StandaloneParts,
  standaloneProgram,
} from '@annex/process';
import { openAdmission } from '@annex/admission';
import { apiRegistrationGroup } from './kinds/apiregistration/apiservices/kind.ts';
import { createFrontProxy } from './app.ts';
import { type FrontProxyConfig, frontProxyConflicts, frontProxyOptions } from './options.ts';
import { remoteApps } from './remote-apps.ts';

/** The front proxy in a separate process. */
export const frontProxyProgram = standaloneProgram<FrontProxyConfig>({
  name: 'front-proxy',
  options: frontProxyOptions,
  conflicts: frontProxyConflicts,
  create,
});

async function create(context: ProgramContext<FrontProxyConfig>): Promise<StandaloneParts> {
  const { authorizer, config, deps, files, identities } = context;
  const certificates = await openPeerCertificates(config, files);
  const { verificationKeys } = await readServiceAccountKeys(config);
  const authentication = await openAuthentication(config, { files, deps, verificationKeys });
  const others = remoteApps(config, certificates, deps);
  const app = createFrontProxy(deps, {
    identityHeaders: forwardedIdentity(config),
    routing: serviceRouting(config),
    managed: others.sources,
    admission: await openAdmission(deps, authorizer, config),
    client: () => certificates.client.current(),
    extensionAuthentication: extensionAuthentication(config, identities),
  });
  others.routes.builtin.set(apiRegistrationGroup, app.handle);
  const address = () => `${config.advertiseAddress}:${config.advertisePort}`;
  return {
    app,
    parts: [authentication.part, others.part],
    ready: () => others.ready(),
    api: { ...others.routes, extensionServer: app.extensionServer },
    tracesOfOtherProcesses: others.traces,
    apiPaths: () => app.paths(),
    documents: openIdDocuments({ config, address, verificationKeys, log: deps.log }),
    clients: {
      authenticators: [bearerTokenAuthenticator(authentication.tokens)],
      anonymous: authentication.anonymous,
    },
  };
}
