import {
  type Backend,
  type IdentityHeaderNames,
  type ProxyClientCertificate,
  Transport,
  composeSteps,
  defaultIdentityHeaders,
} from '@annex/server';
import { type ForwardContext, remoteSteps } from './forward-path.ts';

/** How an app in another process is reached and recognized. */
export interface RemoteBackendOptions {
  /** PEM of the CA that signed the app's serving certificate. */
  ca: string;
  /** The name in that certificate; the host of the URL where left out. */
  serverName?: string;
  client: ProxyClientCertificate;
  identityHeaders?: IdentityHeaderNames;
}

/** An app in another process. */
export interface RemoteBackend extends Backend {
  /** Closes all connections. */
  close(): void;
}

/** A backend in another process, reached by the flow of every extension server: over TLS, with the user in headers. */
export function remoteBackend(url: string, options: RemoteBackendOptions): RemoteBackend {
  const { hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  const transport = new Transport({
    ca: options.ca,
    serverName: options.serverName ?? host,
    insecureSkipTLSVerify: false,
    client: options.client,
  });
  const endpoint = { host, port: Number(port || 443) };
  const names = options.identityHeaders ?? defaultIdentityHeaders;
  const run = composeSteps<ForwardContext>(remoteSteps(names));
  return {
    handle: (request) => run({ request, transport, endpoint }),
    close: () => transport.close(),
  };
}
