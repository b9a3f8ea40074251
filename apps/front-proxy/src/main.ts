import { bearerTokenAuthenticator } from '@annex/auth';
import {
  admissionPlugins,
  extensionAuthentication,
  openIdDocuments,
  readOptionalFile,
  openPeerCertificates,
  runStandalone,
  type StandaloneContext,
  tokensOf,
} from '@annex/server';
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

async function create(context: StandaloneContext<FrontProxyConfig>) {
  const { authorizer, config, deps, files } = context;
  const certificates = await openPeerCertificates(config, files);
  const verificationKey = await readOptionalFile(config.serviceAccountKeyFile);
  const keys = verificationKey === undefined ? [] : [verificationKey];
  const tokens = keys.map((key) => tokensOf(config, key, deps));
  const address = `${config.advertiseAddress}:${config.advertisePort}`;
  const app = createFrontProxy(deps, {
    admission: admissionPlugins(deps, authorizer),
    client: () => certificates.client.current(),
    extensionAuthentication: extensionAuthentication(config, context),
  });
  const apps = remoteApps(app, config, certificates, deps);
  return {
    app,
    parts: [apps.part],
    ready: () => apps.ready(),
    traces: apps.traces,
    apiPaths: () => app.paths(),
    documents: openIdDocuments(config.serviceAccountIssuer, address, keys),
    authenticators: [bearerTokenAuthenticator(tokens)],
  };
}
