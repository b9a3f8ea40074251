import { type Authenticator, anonymousAuthenticator } from '@annex/auth';
import type { Part } from '@annex/runtime';
import type { App } from '@annex/server';
import { openEtcdStore } from './etcd-store.ts';
import { openIdentities } from './identities.ts';
import { type StandaloneConfig, standaloneConflicts } from './options.ts';
import type { ComposedRoutes, Composition, Program, ProgramContext } from './program.ts';

/** The parts of a process with one app. */
export interface StandaloneParts extends Omit<ComposedRoutes, 'app' | 'discovery'> {
  app: App;
  /** Started before the app, in this order. */
  parts?: readonly Part[];
  /** Resolves when other processes may depend on this one, which serves requests already. */
  ready?: () => Promise<void>;
  /**
   * Set if clients connect to the app directly, as to the front proxy. Default: only the front proxy does.
   */
  clients?: { authenticators: readonly Authenticator[]; anonymous: Authenticator | undefined };
}

/** An app that can run in a separate process, on the etcd cluster of its options. */
export interface Standalone<C extends StandaloneConfig> extends Pick<
  Program<C>,
  'name' | 'options' | 'conflicts'
> {
  create(context: ProgramContext<C>): StandaloneParts | Promise<StandaloneParts>;
}

/** Creates the program of an app. */
export const standaloneProgram = <C extends StandaloneConfig>(standalone: Standalone<C>): Program<C> => ({
  name: standalone.name,
  options: standalone.options,
  conflicts: (config) => [...standaloneConflicts(config), ...(standalone.conflicts?.(config) ?? [])],
  openStore: openEtcdStore,
  openIdentities,
  compose: async (context) => composition(await standalone.create(context), context),
});

function composition(
  { app, clients, parts = [], ready, ...routes }: StandaloneParts,
  { config, rbac }: ProgramContext<StandaloneConfig>,
): Composition {
  const anonymous = config.anonymousAuth === false ? undefined : anonymousAuthenticator;
  return {
    authentication: clients
      ? { ...clients, behindFrontProxy: false }
      : { authenticators: [], anonymous, behindFrontProxy: true },
    routes: { ...routes, app: app.handle, discovery: app.discovery },
    parts: [{ name: 'rbac', start: () => rbac.start() }, ...parts, app],
    refusedAtStart: 'api',
    ...(ready ? { ready } : {}),
  };
}
