import { Client, loadKubeconfig } from '@annex/client';
import { groupVersion, isReason, type KubeObject } from '@annex/machinery';
import { createEtcdStore, type Store } from '@annex/storage';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requireReference, startReference } from '../runners/reference-runner.ts';
import { startSingle } from '../runners/single-runner.ts';
import { storedExamples, withoutExample } from './stored-objects.ts';

const suite = 'one etcd, shared with a real kube-apiserver';

describe.runIf(requireReference(suite))(suite, () => {
  const opened = new AsyncDisposableStack();
  const clients = new Map<string, Client>();
  let store: Store;
  const request = (server: string, method: string, path: string, body?: unknown) =>
    clients.get(server)!.json<KubeObject>({
      method,
      path,
      ...(method === 'PATCH' ? { headers: { 'content-type': 'application/merge-patch+json' } } : {}),
      ...(body === undefined ? {} : { body }),
    });

  beforeAll(async () => {
    const reference = opened.use(await startReference());
    const etcd = `http://127.0.0.1:${Number(new URL(reference.url).port) + 1}`;
    const annex = opened.use(await startSingle({ args: [`--etcd-servers=${etcd}`] }));
    store = await createEtcdStore({ servers: [etcd] });
    opened.defer(() => store.close());
    for (const [name, runner] of Object.entries({ annex, 'kube-apiserver': reference })) {
      const client = new Client(await loadKubeconfig(runner.kubeconfig));
      opened.defer(() => client.close());
      clients.set(name, client);
    }
  }, 180_000);
  afterAll(() => opened.disposeAsync());

  it('has an example of every kind that is stored', () => expect(withoutExample()).toEqual([]));

  const directions = [
    ['annex', 'kube-apiserver'],
    ['kube-apiserver', 'annex'],
  ] as const;
  describe.each(directions)('what %s writes, %s reads and changes', (writer, reader) => {
    it.each(storedExamples)(
      '$resource',
      async ({ kind, fields, name = `by-${writer}-${kind.group.length}${kind.version}` }) => {
        const apiVersion = groupVersion(kind);
        const folder = `${kind.group === '' ? '/api/v1' : `/apis/${apiVersion}`}${kind.namespaced ? '/namespaces/default' : ''}/${kind.resource}`;
        const path = `${folder}/${name}`;
        const written = await request(writer, 'POST', folder, {
          apiVersion,
          kind: kind.kind,
          metadata: { name },
          ...fields,
        });
        const key = `${kind.storage!.prefix}${kind.namespaced ? 'default/' : ''}${name}`;
        expect((await store.get(key)).entry, key).toBeDefined();
        const same = async () => {
          const shown = withoutStatus(await request(writer, 'GET', path));
          await expect.poll(async () => withoutStatus(await request(reader, 'GET', path))).toEqual(shown);
        };
        await same();
        expect((await request(reader, 'GET', path)).metadata.uid).toBe(written.metadata.uid);
        const patch = { metadata: { labels: { changed: 'yes' } } };
        const changed = await request(reader, 'PATCH', path, patch);
        expect(changed.metadata.labels).toMatchObject(patch.metadata.labels);
        await same();
        await request(writer, 'DELETE', path);
        // Others have finalizers of controllers that do not run.
        if (kind.resource === 'customresourcedefinitions')
          await expect.poll(() => request(reader, 'GET', path).catch(isGone), { timeout: 10_000 }).toBe(true);
      },
    );
  });
});

const isGone = (error: unknown) => isReason(error as Error, 'NotFound');

/** Kinds whose status kube-apiserver writes a moment after their creation. */
const writesStatus = new Set(['APIService', 'CustomResourceDefinition', 'FlowSchema']);

/** Returns the object without the marks of such a write. */
function withoutStatus({ metadata, ...object }: KubeObject): unknown {
  const { managedFields: _fields, resourceVersion: _version, ...kept } = metadata;
  return { ...object, metadata: kept, ...(writesStatus.has(object.kind ?? '') ? { status: {} } : {}) };
}
