import { type Backend, composeSteps } from '@annex/server';
import { defaultIdentityHeaders, type IdentityHeaderNames, type Peer } from '@annex/aggregation';
import { type ForwardContext, remoteSteps } from './forward-path.ts';

/** A backend in another process, reached by the flow of every extension server: over TLS, with the user in headers. */
export function remoteBackend(peer: Peer, names: IdentityHeaderNames = defaultIdentityHeaders): Backend {
  const run = composeSteps<ForwardContext>(remoteSteps(names));
  return { handle: (request) => run({ request, transport: peer.transport, endpoint: peer.endpoint }) };
}
