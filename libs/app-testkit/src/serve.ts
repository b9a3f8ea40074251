import { type Authenticator, type Authorizer, issueServingCertificate, createCA } from '@annex/auth';
import { Client } from '@annex/client';
import { systemClock } from '@annex/runtime';
import {
  type App,
  createApiListener,
  everythingElse,
  requestSteps,
  TraceLog,
  type ServerDeps,
} from '@annex/server';
import { allowMasters, tokenIsName } from './identities.ts';

/** An app over TLS on a free port of the loopback address. */
export interface Served {
  /** `https://127.0.0.1:PORT`. */
  server: string;
  /** The PEM of the CA of its certificate. */
  ca: string;
  /** Creates a client with a bearer token, which `stop` closes. */
  connect(token?: string): Client;
  /** Closes the clients and the listener; app and store continue. */
  stop(): Promise<void>;
}

/** Serves an app behind the request path. By default a token is the name of an administrator. */
export async function serve(
  deps: ServerDeps,
  app: Pick<App, 'handle'>,
  { authenticator = tokenIsName, authorizer = allowMasters }: ServeOptions = {},
): Promise<Served> {
  const ca = await createCA('ca');
  const names = { commonName: 'a', subjectAltNames: ['127.0.0.1'] };
  const { cert, key } = await issueServingCertificate(ca, names);
  const routes = [everythingElse(app.handle)];
  const limits = { identityHeaders: [], requestTimeoutMs: 10_000, maxInFlight: { reads: 0, changes: 0 } };
  const listener = createApiListener({
    bindAddress: '127.0.0.1',
    port: 0,
    certificate: cert,
    key,
    clock: systemClock,
    steps: requestSteps({ ...deps, traces: new TraceLog(0), ...limits, authenticator, authorizer, routes }),
  });
  const server = `https://127.0.0.1:${await listener.start()}`;
  const clients: Client[] = [];
  return {
    server,
    ca: ca.cert,
    connect(token = 'admin') {
      const client = new Client({ server, ca: ca.cert, token });
      clients.push(client);
      return client;
    },
    async stop() {
      for (const client of clients) client.close();
      await listener.stop(0);
    },
  };
}

interface ServeOptions {
  authenticator?: Authenticator;
  authorizer?: Authorizer;
}
