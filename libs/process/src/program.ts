import type { Authenticator, AuthorizerChain, RbacAuthorizer } from '@annex/auth';
import type { ConflictCheck, LiveFiles, Logger, OptionsTable, Part, Validated } from '@annex/runtime';
import type { ServerDeps } from '@annex/server';
import type { Store } from '@annex/storage';
import type { Identities } from './identities.ts';
import type { ServerConfig } from './options.ts';
import type { ServerRoutes } from './secure-server.ts';

/** An API server as a process runs it: `annex up`, or one app alone. `startProgram` starts it. */
export interface Program<C extends ServerConfig, I extends Identities = Identities> {
  readonly name: string;
  readonly options: OptionsTable<C>;
  readonly conflicts?: ConflictCheck<C>;
  openStore(config: Validated<C>): Store | Promise<Store>;
  /** Opens the certificates, CAs and keys. The store is open, so that no other process uses the same data directory. */
  openIdentities(config: Validated<C>, files: LiveFiles, log: Logger): Promise<I>;
  /** Makes the apps. Nothing of them has started. */
  compose(context: ProgramContext<C, I>): Composition | Promise<Composition>;
}

/** What apps are made from. */
export interface ProgramContext<C, I extends Identities = Identities> {
  config: Validated<C>;
  deps: ServerDeps;
  identities: I;
  /** The files that options name, followed as long as the process runs. */
  files: LiveFiles;
  /** The authorizers of the system. */
  authorizer: AuthorizerChain;
  rbac: RbacAuthorizer;
  /** The port that the server listens on; known when the parts start. */
  port(): number;
}

/** The apps of a process, and what requests find there. */
export interface Composition {
  authentication: ClientAuthentication;
  routes: ComposedRoutes;
  /** Requests for the API are refused until these have started, in this order. */
  parts: readonly Part[];
  /** What is refused until then: the API, or every path of the server. */
  refusedAtStart: 'api' | 'everything';
  /** Resolves when other processes may rely on this one, which handles requests already. */
  ready?(): Promise<void>;
  /** Parts that are clients of the server: they start when it handles requests, and stop before it does not. */
  clients?: readonly Part[];
}

/** How clients are authenticated beside client certificates and the request headers of proxies. */
export interface ClientAuthentication {
  /** Tried after certificates and request headers. */
  authenticators: readonly Authenticator[];
  /** Authenticates requests without credentials. */
  anonymous: Authenticator | undefined;
  /** The proxies are the front proxy only, which sends each group as it is, and not proxies of clients. */
  behindFrontProxy: boolean;
}

/** The rows of the route table that an app serves. */
export interface ComposedRoutes
  extends
    Pick<ServerRoutes, 'api' | 'app' | 'discovery' | 'tracesElsewhere'>,
    Pick<ServerRoutes['about'], 'apiPaths' | 'documents'> {}
