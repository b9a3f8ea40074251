import type { Command } from './command.ts';

/** The apps that `deploy/compose.yaml` runs as separate processes. `annex up` runs all of them in one. */
export const apps: Readonly<Record<string, Command>> = {
  'front-proxy': {
    help: 'TLS, authentication, authorization, routing to the other apps and to extension API servers',
    options: async () => (await import('@annex/front-proxy')).frontProxyOptions,
    run: async (argv, env) => (await import('@annex/front-proxy')).runFrontProxy(argv, env),
  },
  'core-api': {
    help: 'built-in kinds',
    options: async () => (await import('@annex/core-api')).coreApiOptions,
    run: async (argv, env) => (await import('@annex/core-api')).runCoreApi(argv, env),
  },
  'crd-registry': {
    help: 'CustomResourceDefinitions and custom resources',
    options: async () => (await import('@annex/process')).appOptions,
    run: async (argv, env) => (await import('@annex/crd-registry')).runCrdRegistry(argv, env),
  },
  authorization: {
    help: 'RBAC and access reviews',
    options: async () => (await import('@annex/process')).appOptions,
    run: async (argv, env) => (await import('@annex/authorization')).runAuthorization(argv, env),
  },
  discovery: {
    help: 'discovery and OpenAPI documents of all servers',
    options: async () => (await import('@annex/discovery')).discoveryOptions,
    run: async (argv, env) => (await import('@annex/discovery')).runDiscovery(argv, env),
  },
  'object-storage': {
    help: 'the etcd API on the embedded store',
    options: async () => (await import('@annex/object-storage')).objectStorageOptions,
    run: async (argv, env) => (await import('@annex/object-storage')).runObjectStorage(argv, env),
  },
  controllers: {
    help: 'namespaces, garbage collection, service accounts, quotas and others',
    options: async () => (await import('@annex/controllers')).controllersOptions,
    run: async (argv, env) => (await import('@annex/controllers')).runControllers(argv, env),
  },
  'fake-nodes': {
    help: 'Nodes without kubelets, and the status of their Pods',
    options: async () => (await import('@annex/fake-nodes')).fakeNodesProcessOptions,
    run: async (argv, env) => (await import('@annex/fake-nodes')).runFakeNodes(argv, env),
  },
};
