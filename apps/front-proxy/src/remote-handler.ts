import { composeSteps, type Handler } from '@annex/server';
import { defaultIdentityHeaders, type IdentityHeaderNames, type Peer } from '@annex/aggregation';
import { remoteSteps } from './forward-path.ts';

/** Returns a handler that sends requests to another process as to any extension API server: over TLS, with the user in headers. */
export function remoteHandler(peer: Peer, names: IdentityHeaderNames = defaultIdentityHeaders): Handler {
  const run = composeSteps(remoteSteps(names));
  return (request) => run({ request, transport: peer.transport, endpoint: peer.endpoint });
}
