import { setTimeout } from 'node:timers/promises';
import { Client, type ClientRequest, loadKubeconfig } from '@annex/client';
import { isReason, type KubeObject, StatusError } from '@annex/machinery';
import { definitionManifest } from '@annex/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Runner } from '../runners/runner.ts';
import { startAnnex } from '../runners/start-annex.ts';
import { awaitObject } from './await-object.ts';
import { flawsOf, leftBy, runsOf } from './clients/event-sequence.ts';
import { buildGoClients } from './clients/go-clients.ts';
import { type InformerEvent, type InformerLog, startInformer } from './clients/informer-log.ts';
import { Replicas } from './clients/replicas.ts';

/** Replicas are restarted one after the other, which fewer objects show as well. */
const count = process.env.ANNEX_RUNNER === 'replicas' ? 250 : 1000;
const resized = 0.4 * count;
const deleted = 0.2 * count;
const collection = '/apis/clients.example.com/v1/namespaces/default/widgets';
const names = Array.from({ length: count }, (_, i) => `widget-${i}`);

interface Widget extends KubeObject {
  spec: { size: number };
  status?: { writes: number; by: string; observedGeneration: number };
}

const integer = { type: 'integer', format: 'int64' };
const definition = definitionManifest({
  group: 'clients.example.com',
  kind: 'Widget',
  version: { subresources: { status: {} } },
  schema: {
    properties: {
      spec: { type: 'object', required: ['size'], properties: { size: { ...integer, minimum: 1 } } },
      status: {
        type: 'object',
        properties: { writes: integer, by: { type: 'string' }, observedGeneration: integer },
      },
    },
  },
});

const widget = (name: string) => ({
  apiVersion: 'clients.example.com/v1',
  kind: 'Widget',
  metadata: { name, finalizers: ['clients.example.com/reconciler'] },
  spec: { size: 1 },
});

const suite = 'Go controllers and informers';
const program = await buildGoClients(suite);

describe.runIf(program !== undefined)(suite, () => {
  const clients = program as string;
  let annex: Runner;
  let api: Client;
  let informer: InformerLog;
  let replicas: Replicas;
  let first: string;

  /**
   * Retries a request until it gets a response, because the server is killed concurrently. An error `done` means that an attempt without
   * response succeeded.
   */
  async function sendUntilResponse(
    request: ClientRequest,
    done: 'AlreadyExists' | 'NotFound',
  ): Promise<void> {
    for (;;) {
      try {
        await api.json({ timeoutMs: 10_000, ...request });
        return;
      } catch (error) {
        if (isReason(error, done)) return;
        if (error instanceof StatusError && !isReason(error, 'ServiceUnavailable')) throw error;
        await setTimeout(25);
      }
    }
  }

  /** Sends one request for each name, sixteen concurrently. */
  async function forEach(list: readonly string[], send: (name: string) => Promise<void>): Promise<void> {
    const rest = list[Symbol.iterator]();
    const worker = async () => {
      for (const name of rest) await send(name);
    };
    await Promise.all(Array.from({ length: 16 }, worker));
  }

  const ofKind = (kind: string): InformerEvent[] => informer.events.filter((event) => event.kind === kind);
  const widgetOf = ({ object }: InformerEvent): Widget => object as Widget;
  const reconciled = (generation: number) => (event: InformerEvent) =>
    event.kind === 'Widget' &&
    event.type === 'MODIFIED' &&
    widgetOf(event).status?.observedGeneration === generation &&
    widgetOf(event).metadata.generation === generation;

  beforeAll(async () => {
    annex = await startAnnex({ controllers: 'garbage-collector-controller' });
    api = new Client(await loadKubeconfig(annex.kubeconfig));
    const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    await api.json({ method: 'POST', path: definitions, body: definition });
    await awaitObject(api, definitions, definition.metadata.name, (crd) =>
      JSON.stringify(crd?.status ?? {}).includes('"NamesAccepted"'),
    );
    informer = await startInformer(clients, annex.kubeconfig);
    replicas = new Replicas(clients, annex.kubeconfig);
    first = await replicas.start();
    await replicas.leads(first);
    await replicas.start();
  });
  afterAll(async () => {
    await informer?.[Symbol.asyncDispose]();
    await replicas?.[Symbol.asyncDispose]();
    api?.close();
    await annex?.stop();
  });

  it(`reconcile ${count} objects while the server is killed`, async () => {
    const created = forEach(names, (name) =>
      sendUntilResponse({ method: 'POST', path: collection, body: widget(name) }, 'AlreadyExists'),
    );
    await informer.sees(count / 4, reconciled(1));
    await annex.restart('SIGKILL');
    await created;
    await informer.sees(count, reconciled(1));
  });

  it('take over from a leader that is killed, and go on through another restart', async () => {
    const headers = { 'content-type': 'application/merge-patch+json' };
    const sent = forEach(names.slice(0, resized), (name) =>
      sendUntilResponse(
        { method: 'PATCH', path: `${collection}/${name}`, headers, body: { spec: { size: 2 } } },
        'NotFound',
      ),
    );
    await informer.sees(resized / 4, reconciled(2));
    await replicas.kill(first);
    await sent;
    await annex.restart('SIGTERM');
    await informer.sees(resized, reconciled(2));
  });

  it('remove their finalizers from deleted objects, whose dependents are deleted', async () => {
    const gone = (kind: string) => (event: InformerEvent) => event.kind === kind && event.type === 'DELETED';
    const sent = forEach(names.slice(0, deleted), (name) =>
      sendUntilResponse({ method: 'DELETE', path: `${collection}/${name}` }, 'NotFound'),
    );
    await informer.sees(deleted / 2, gone('Widget'));
    await annex.restart('SIGKILL');
    await sent;
    await informer.sees(deleted, gone('Widget'));
    await informer.sees(deleted, gone('ConfigMap'));
  });

  it('see every change once, and each in its order', async () => {
    expect(informer.remarks()).toEqual(['synced']);
    const widgets = ofKind('Widget');
    const configs = ofKind('ConfigMap').filter(({ name }) => name.startsWith('widget-'));
    const changesOf = ({ metadata, status }: Widget) => Number(metadata.generation) + (status?.writes ?? 0);
    expect(flawsOf(widgets, (event) => changesOf(widgetOf(event)))).toEqual([]);
    expect(flawsOf(configs, ({ object }) => Number((object.data as { size: string }).size))).toEqual([]);
    expect(widgets.length).toBe(2 * count + 2 * resized + 2 * deleted);
    expect(configs.length).toBe(count + resized + deleted);
  });

  it('had one leader at a time', () => {
    const writes = new Map<string, number>();
    const writers = ofKind('Widget').flatMap((event) => {
      const { status } = widgetOf(event);
      if (status === undefined || status.writes === writes.get(event.name)) return [];
      writes.set(event.name, status.writes);
      return [status.by];
    });
    const leaders = runsOf(writers);
    expect(leaders.length).toBeGreaterThan(1);
    expect(leaders).toEqual([...new Set(leaders)]);
  });

  it('have the state of the server in the end', async () => {
    for (const [kind, path] of [
      ['Widget', collection],
      ['ConfigMap', '/api/v1/namespaces/default/configmaps'],
    ] as const) {
      const { items } = await api.json<{ items: KubeObject[] }>({ path });
      const held = items.map(({ metadata: { name, resourceVersion } }) => [name, resourceVersion]);
      const seen = [...leftBy(ofKind(kind))].map(([name, { metadata }]) => [name, metadata.resourceVersion]);
      expect(Object.fromEntries(seen)).toEqual(Object.fromEntries(held));
    }
  });
});
