import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

const audience = 'system:konnectivity-server';
const account = (name: string) => ({
  authenticated: true,
  audiences: [audience],
  user: { username: `system:serviceaccount:kube-system:${name}` },
});

/** What kube-apiserver responded to the tokens of a recording. Tokens are not recorded: the ID of its agent stands for each. */
const statuses: ReadonlyMap<string, object> = new Map<string, object>([
  ['agent-1', account('konnectivity-agent')],
  [
    'agent-2',
    {
      error: `[invalid bearer token, token audiences ["other"] is invalid for the target audiences ["${audience}"]]`,
    },
  ],
  ['agent-3', account('other')],
  ['agent-4', { error: 'invalid bearer token' }],
]);

/** An API server of TokenReviews. */
export interface TokenReviews extends Disposable {
  kubeconfig: string;
}

export async function startTokenReviews(): Promise<TokenReviews> {
  const server = createServer(async (request, response) => {
    const review = (await json(request)) as { spec: { token: string } };
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify({ ...review, status: statuses.get(review.spec.token) }));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const kubeconfig = {
    'current-context': 'a',
    clusters: [{ name: 'a', cluster: { server: `http://127.0.0.1:${port}` } }],
    contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
    users: [{ name: 'a', user: {} }],
  };
  return {
    kubeconfig: JSON.stringify(kubeconfig),
    [Symbol.dispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}
