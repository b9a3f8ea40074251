import type { Command } from './command.ts';

/** The apps that `deploy/compose.yaml` runs as separate processes. `annex up` runs all of them in one. */
export const apps: Readonly<Record<string, Command>> = {
  'front-proxy': {
    help: 'TLS, authentication, authorization, routing to the other apps and to extension API servers',
    run: async (argv, env) => (await import('@annex/front-proxy')).runFrontProxy(argv, env),
  },
  'core-api': {
    help: 'built-in kinds',
    run: async (argv, env) => (await import('@annex/core-api')).runCoreApi(argv, env),
  },
  'crd-registry': {
    help: 'CustomResourceDefinitions and custom resources',
    run: async (argv, env) => (await import('@annex/crd-registry')).runCrdRegistry(argv, env),
  },
  authorization: {
    help: 'RBAC and access reviews',
    run: async (argv, env) => (await import('@annex/authorization')).runAuthorization(argv, env),
  },
  discovery: {
    help: 'discovery and OpenAPI documents of all servers',
    run: async (argv, env) => (await import('@annex/discovery')).runDiscovery(argv, env),
  },
  'object-storage': {
    help: 'the etcd API on the embedded store',
    run: async (argv, env) => (await import('@annex/object-storage')).runObjectStorage(argv, env),
  },
  controllers: {
    help: 'namespaces, garbage collection, service accounts, quotas and others',
    run: async (argv, env) => (await import('@annex/controllers')).runControllers(argv, env),
  },
};
