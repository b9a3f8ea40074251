import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { loadKubeconfig } from '@annex/client';
import {
  createLifecycle,
  createMetrics,
  createPageServer,
  healthPages,
  listen,
  OperatorError,
  type Page,
  plainText,
  type ProcessDescription,
  runProcess,
  startupLog,
  systemClock,
} from '@annex/runtime';
import { fakeNodesConflicts } from './config.ts';
import { createFakeNodes } from './fake-nodes.ts';
import { type FakeNodesProcessConfig, fakeNodesProcessOptions } from './options.ts';

/** The process of fake nodes. */
const fakeNodesProgram = {
  name: 'fake-nodes',
  usage: 'annex fake-nodes [options]',
  options: fakeNodesProcessOptions,
  conflicts: fakeNodesConflicts,
  async start(config) {
    const log = startupLog('fake-nodes', fakeNodesProcessOptions, config);
    const metrics = createMetrics();
    const client = await loadKubeconfig(config.kubeconfig);
    const lost = Promise.withResolvers<Error>();
    const leadership = {
      name: 'annex-fake-nodes',
      identity: `${hostname()}_${randomUUID()}`,
      lost: () => lost.resolve(new OperatorError('LEADERSHIP_LOST', 'the lease annex-fake-nodes was lost')),
    };
    const fakeNodes = createFakeNodes(
      { clock: systemClock, log, metrics },
      config,
      client,
      config.leaderElect ? leadership : undefined,
    );
    const pages = healthPages(
      metrics,
      readiness(() => fakeNodes.isReady()),
    );
    const place = { host: config.healthBindAddress, port: config.healthPort };
    const health = await listen(createPageServer(pages), place);
    const lifecycle = createLifecycle([{ name: 'health', stop: () => health.end() }, fakeNodes]);
    await lifecycle.start();
    return { about: `http://${health.address}`, ended: lost.promise, stop: () => lifecycle.stop() };
  },
} satisfies ProcessDescription<FakeNodesProcessConfig>;

/** The main function of `annex fake-nodes`. Resolves to the exit code. */
export const runFakeNodes = (argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> =>
  runProcess<FakeNodesProcessConfig>(fakeNodesProgram, argv, env);

/** Ready when all nodes are registered and all Pods are known. */
const readiness =
  (isReady: () => boolean): Page =>
  async () =>
    isReady()
      ? [200, plainText, 'ok']
      : [503, plainText, 'nodes are not registered yet, or the API server does not respond\n'];
