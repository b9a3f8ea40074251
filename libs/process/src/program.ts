import type { Authenticator, AuthorizerChain, RbacAuthorizer } from '@annex/auth';
import type {
  ConflictCheck,
  EgressSelector,
  LiveFiles,
  Logger,
  OptionsTable,
  Part,
  Validated,
} from '@annex/runtime';
import type { ServerDeps } from '@annex/server';
import type { Store } from '@annex/storage';
import type { Identities } from './identities.ts';
import type { ServerConfig } from './options.ts';
import type { ServerRoutes } from './secure-server.ts';

/** An API server that runs as a process: `annex up`, or one app alone. `startProgram` starts it. */
export interface Program<C extends ServerConfig, I extends Identities = Identities> {
  readonly name: string;
  readonly options: OptionsTable<C>;
  readonly conflicts?: ConflictCheck<C>;
  openStore(config: Validated<C>, log: Logger, egress?: EgressSelector): Store | Promise<Store>;
  /**
   * Opens the certificates, CAs and keys. The store is already open, so that no other process uses the same
   * data directory.
   */
  openIdentities(config: Validated<C>, files: LiveFiles, log: Logger): Promise<I>;
  /** Creates the apps without starting them. */
  compose(context: ProgramContext<C, I>): Composition | Promise<Composition>;
}

/** The dependencies of the apps. */
export interface ProgramContext<C, I extends Identities = Identities> {
  config: Validated<C>;
  deps: ServerDeps;
  identities: I;
  /** The configured files, followed while the process runs. */
  files: LiveFiles;
  /** The authorizers of the system. */
  authorizer: AuthorizerChain;
  rbac: RbacAuthorizer;
  /** Returns the port that the server listens on, after the parts have started. */
  port(): number;
}

/** The apps of a process and their routes. */
export interface Composition {
  authentication: ClientAuthentication;
  routes: ComposedRoutes;
  /** Requests for the API are refused until these parts have started, in this order. */
  parts: readonly Part[];
  /** The requests that are refused until then: those for the API, or all. */
  refusedAtStart: 'api' | 'everything';
  /** Resolves when other processes may depend on this one, which serves requests already. */
  ready?(): Promise<void>;
  /** Parts that are clients of the server: they start after it serves requests, and stop before it does. */
  clients?: readonly Part[];
}

/** The authenticators in addition to client certificates and request headers. */
export interface ClientAuthentication {
  /** Tried after certificates and request headers. */
  authenticators: readonly Authenticator[];
  /** Authenticates requests without credentials. */
  anonymous: Authenticator | undefined;
  /**
   * True if the front proxy is the only proxy: its group headers are not split, unlike those of other
   * proxies.
   */
  behindFrontProxy: boolean;
}

/** The rows of the route table that an app serves. */
export interface ComposedRoutes
  extends
    Pick<ServerRoutes, 'api' | 'app' | 'discovery' | 'tracesOfOtherProcesses'>,
    Pick<ServerRoutes['about'], 'apiPaths' | 'documents'> {}
