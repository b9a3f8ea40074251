import type { TestResponse } from '@annex/app-testkit';
import type { AdmissionAttributes } from '@annex/server';
import { createMemoryStore, type Store, StoredObject, StoreError } from '@annex/storage';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { crdOf, versionOf, withProperties } from './crd.fixture.ts';
import { cleanupFinalizer, type Crd } from './crd/crd.ts';
import { crds, hasCondition, type Registry, serveRegistry } from './registry.fixture.ts';

let registry: Registry;
beforeAll(async () => {
  registry = await serveRegistry();
});
afterEach(async () => {
  const { body } = await registry.request('GET', crds);
  for (const { metadata } of body.items as Crd[]) await remove(metadata.name ?? '');
});
afterAll(() => registry.stop());

const widgets = '/apis/example.com/v1/namespaces/default/widgets';
const merge = 'application/merge-patch+json';
const widget = (name: string, rest: object = {}) => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name },
  ...rest,
});
const post = (object: object): Promise<TestResponse> => registry.request('POST', widgets, object);
const patch = (path: string, body: object): Promise<TestResponse> =>
  registry.request('PATCH', path, body, merge);

async function remove(name: string): Promise<void> {
  await registry.request('DELETE', `${crds}/${name}`);
  await registry.until(name, (crd) => crd === undefined);
}

const conditions = (crd: Crd | undefined) =>
  Object.fromEntries(
    (crd?.status.conditions ?? []).map(({ type, status, reason }) => [type, `${status} ${reason}`]),
  );

describe('the life of a CRD', () => {
  it('CRD-015 CRD-016 is established with the requested names, and served', async () => {
    const crd = await registry.establish(crdOf({ names: { shortNames: ['w'] } }));
    expect(conditions(crd)).toEqual({
      NamesAccepted: 'True NoConflicts',
      Established: 'True InitialNamesAccepted',
    });
    expect(crd.status.acceptedNames).toEqual({
      plural: 'widgets',
      singular: 'widget',
      shortNames: ['w'],
      kind: 'Widget',
      listKind: 'WidgetList',
    });
    expect(crd.status.storedVersions).toEqual(['v1']);
    expect(crd.metadata.finalizers).toBeUndefined();
    const list = await registry.request('GET', '/apis/example.com/v1');
    expect(list.body.resources).toMatchObject([{ name: 'widgets', kind: 'Widget', namespaced: true }]);
    expect((await registry.request('GET', widgets)).code).toBe(200);
  });

  it('has the server as manager of the fields that the server writes', async () => {
    const crd = await registry.establish(crdOf());
    const entries = crd.metadata.managedFields?.map(({ manager, operation, subresource, fieldsV1 }) => [
      `${manager} ${operation} ${subresource}`,
      Object.keys(fieldsV1 ?? {}),
    ]);
    expect(entries).toContainEqual(['kube-apiserver Update status', ['f:status']]);
  });

  it('a kind that is in use is not accepted until it is free', async () => {
    await registry.establish(crdOf());
    const late = await registry.establish(
      crdOf({ names: { plural: 'gadgets', singular: 'gadget' } }),
      hasCondition('NamesAccepted', 'False'),
    );
    expect(conditions(late)).toEqual({
      NamesAccepted: 'False ListKindConflict',
      Established: 'False NotAccepted',
    });
    expect(late.status.acceptedNames).toEqual({ plural: 'gadgets', singular: 'gadget', kind: '' });
    const unserved = await registry.request('GET', '/apis/example.com/v1/namespaces/default/gadgets');
    expect([unserved.code, unserved.text]).toEqual([404, '404 page not found\n']);
    await remove('widgets.example.com');
    await registry.until('gadgets.example.com', hasCondition('Established', 'True'));
  });

  it('of many that request a kind concurrently, one gets it, and the others get their other names', async () => {
    const plurals = Array.from({ length: 40 }, (_, i) => `things${i}`);
    const made = plurals.map((plural) =>
      registry.establish(
        crdOf({ names: { plural, singular: plural, kind: 'Thing', listKind: `${plural}List` } }),
        (crd) => hasCondition('Established', 'True')(crd) || hasCondition('NamesAccepted', 'False')(crd),
      ),
    );
    const kinds = (await Promise.all(made)).map(({ status }) => status.acceptedNames.kind);
    expect(kinds.toSorted()).toEqual([...Array<string>(39).fill(''), 'Thing']);
  });

  it('the same names in another group are free', async () => {
    await registry.establish(crdOf());
    await registry.establish(crdOf({}, {}, 'example.org'));
  });

  it('CRD-017 CRD-018 CRD-020 is deleted with its objects, and is empty when it is created again', async () => {
    await registry.establish(crdOf());
    await post(widget('a'));
    await remove('widgets.example.com');
    expect((await registry.request('GET', widgets)).code).toBe(404);
    await registry.establish(crdOf());
    expect((await registry.request('GET', widgets)).body.items).toEqual([]);
  });

  it('waits for the finalizers of its objects and accepts no new objects', async () => {
    await registry.establish(crdOf());
    await post(widget('free'));
    await post({ ...widget('held'), metadata: { name: 'held', finalizers: ['example.com/keep'] } });
    const deleted = await registry.request('DELETE', `${crds}/widgets.example.com`);
    expect(deleted.body.metadata.finalizers).toEqual([cleanupFinalizer]);
    expect(deleted.body.metadata).not.toHaveProperty('deletionGracePeriodSeconds');
    await registry.until('widgets.example.com', hasCondition('Terminating', 'True'));
    const { resources } = (await registry.request('GET', '/apis/example.com/v1')).body;
    expect(resources).toMatchObject([{ verbs: ['delete', 'deletecollection', 'get', 'list', 'watch'] }]);
    const invalid = { ...widget('late'), metadata: { name: 'late', labels: { color: '!' } } };
    for (const late of [widget('late'), invalid])
      expect((await post(late)).body.message).toBe(
        'widgets.example.com "late" is forbidden: create not allowed while custom resource definition is terminating',
      );
    expect((await patch(`${widgets}/held`, { spec: { n: 2 } })).code).toBe(200);
    await patch(`${widgets}/held`, { metadata: { finalizers: null } });
    await registry.until('widgets.example.com', (crd) => crd === undefined);
  });

  it('serves a version while `served` is true', async () => {
    const path = `${crds}/widgets.example.com`;
    const versions = (served: boolean) => ({
      spec: { versions: [versionOf(), versionOf({ name: 'v2', storage: false, served })] },
    });
    await registry.establish(crdOf(versions(true).spec));
    const second = '/apis/example.com/v2/namespaces/default/widgets';
    expect((await registry.request('GET', second)).code).toBe(200);
    await patch(path, versions(false));
    await registry.until('widgets.example.com', (crd) => crd?.metadata.generation === 2);
    expect((await registry.request('GET', second)).code).toBe(404);
    expect((await registry.request('GET', widgets)).code).toBe(200);
  });

  it('a CRD that names a built-in resource is neither served nor are "its" objects deleted', async () => {
    const group = 'networking.k8s.io';
    const crd = crdOf({ names: { plural: 'ingresses', kind: 'Ingress' } }, {}, group) as { metadata: object };
    crd.metadata = {
      name: `ingresses.${group}`,
      annotations: { 'api-approved.kubernetes.io': 'unapproved, a test' },
    };
    const key = `/registry/${group}/ingresses/default/kept`;
    await registry.deps.store.create(key, Buffer.from('{"metadata":{"name":"kept"}}'));
    const made = await registry.establish(crd);
    expect(conditions(made).KubernetesAPIApprovalPolicyConformant).toBe('False UnapprovedAnnotation');
    expect((await registry.request('GET', `/apis/${group}/v1/namespaces/default/ingresses`)).code).toBe(404);
    await remove(`ingresses.${group}`);
    expect((await registry.deps.store.get(key)).entry).toBeDefined();
  });
});

describe('several replicas over one store', () => {
  it('compute the same result and serve the same kinds', async () => {
    const store = createMemoryStore();
    const replicas = await Promise.all([serveRegistry({}, store), serveRegistry({}, store)]);
    const [first, second] = replicas as [Registry, Registry];
    await first.establish(crdOf());
    await second.until('widgets.example.com', hasCondition('Established', 'True'));
    expect((await second.request('POST', widgets, widget('a'))).code).toBe(201);
    expect((await first.request('GET', `${widgets}/a`)).code).toBe(200);
    await second.request('DELETE', `${crds}/widgets.example.com`);
    await first.until('widgets.example.com', (crd) => crd === undefined);
    expect((await first.request('GET', widgets)).code).toBe(404);
    await Promise.all(replicas.map((replica) => replica.stop()));
    await store.close();
  });

  it('a deletion that one replica began is finished by the next replica that starts', async () => {
    const store = createMemoryStore();
    const first = await serveRegistry({}, store);
    await first.establish(crdOf());
    await first.request('POST', widgets, {
      ...widget('held'),
      metadata: { name: 'held', finalizers: ['example.com/keep'] },
    });
    await first.request('DELETE', `${crds}/widgets.example.com`);
    await first.stop();
    const second = await serveRegistry({}, store);
    await second.request('PATCH', `${widgets}/held`, { metadata: { finalizers: null } }, merge);
    await second.until('widgets.example.com', (crd) => crd === undefined);
    await second.stop();
    await store.close();
  });
});

describe('a CRD whose status is being written', () => {
  /** Starts a registry whose store holds back updates until the returned function releases them. */
  async function held(update: (store: Store, ...args: Parameters<Store['update']>) => Promise<number>) {
    const store = createMemoryStore();
    const slow = new Proxy<Store>(store, {
      get(target, operation) {
        if (operation === 'update') return (...args: Parameters<Store['update']>) => update(store, ...args);
        const value: unknown = Reflect.get(target, operation, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const own = await serveRegistry({ quiet: true }, slow);
    return { own, store, stop: () => own.stop().then(() => store.close()) };
  }

  it('is served from the decision about its names on', async () => {
    const released = Promise.withResolvers<void>();
    const { own, stop } = await held((store, ...args) => released.promise.then(() => store.update(...args)));
    expect((await own.request('POST', crds, crdOf())).code).toBe(201);
    await own.until('widgets.example.com', (crd) => crd !== undefined);
    while ((await own.request('GET', widgets)).code !== 200);
    const { body } = await own.request('GET', `${crds}/widgets.example.com`);
    expect(conditions(body as unknown as Crd)).toEqual({});
    released.resolve();
    await own.until('widgets.example.com', hasCondition('Established', 'True'));
    await stop();
  });

  it('is served no longer if it cannot be written', async () => {
    const failed = Promise.withResolvers<void>();
    const { own, stop } = await held(async () => {
      await failed.promise;
      throw new StoreError('unavailable', 'gone');
    });
    await own.request('POST', crds, crdOf());
    while ((await own.request('GET', widgets)).code !== 200);
    failed.resolve();
    while ((await own.request('GET', widgets)).code !== 404);
    await stop();
  });

  it('is in the watch cache as it is stored', async () => {
    await registry.establish(crdOf({ names: { shortNames: ['w'] } }));
    const { deps } = registry;
    const key = '/registry/apiextensions.k8s.io/customresourcedefinitions/widgets.example.com';
    const { entry } = await deps.store.get(key);
    const stored = new StoredObject({ value: Buffer.from(entry!.value), modRevision: entry!.modRevision });
    const cache = deps.feed.objects('/registry/apiextensions.k8s.io/customresourcedefinitions/');
    expect(JSON.stringify(cache.get(key)?.value.object)).toBe(JSON.stringify(stored.object));
  });
});

describe('a store that fails for a moment', () => {
  it('delays the life cycle of a CRD and does not end it', async () => {
    const store = createMemoryStore();
    const failing = new Set<string | symbol>();
    const unreliable = new Proxy<Store>(store, {
      get(target, operation) {
        const value: unknown = Reflect.get(target, operation, target);
        if (typeof value !== 'function') return value;
        if (failing.delete(operation)) throw new StoreError('unavailable', 'gone for a moment');
        return value.bind(target);
      },
    });
    const shaky = await serveRegistry({ quiet: true }, unreliable);
    failing.add('update');
    await shaky.establish(crdOf());
    await shaky.request('POST', widgets, widget('a'));
    failing.add('delete');
    await shaky.request('DELETE', `${crds}/widgets.example.com`);
    await shaky.until('widgets.example.com', (crd) => crd === undefined);
    await shaky.stop();
    await store.close();
  });
});

describe('a store whose reads end in another order', () => {
  it('leads to the error of the first object of a collection', async () => {
    const store = createMemoryStore();
    let waiting: (() => void)[] = [];
    const reordering = new Proxy<Store>(store, {
      get(target, operation) {
        if (operation === 'revision') return undefined;
        const value: unknown = Reflect.get(target, operation, target);
        if (operation !== 'currentRevision') return typeof value === 'function' ? value.bind(target) : value;
        return async () => {
          await new Promise<void>((resolve) => waiting.push(resolve));
          return await target.currentRevision();
        };
      },
    });
    // The last one of concurrent reads ends first.
    const ending = setInterval(() => {
      for (const end of waiting.reverse()) end();
      waiting = [];
    }, 1);
    const slow = await serveRegistry({ quiet: true }, reordering);
    await slow.establish(crdOf());
    for (const name of ['a', 'b']) await slow.request('POST', widgets, widget(name));
    const refused = await slow.request('DELETE', widgets, { preconditions: { uid: 'x' } });
    expect(refused.body.details).toMatchObject({ name: 'a' });
    await slow.stop();
    clearInterval(ending);
    await store.close();
  });
});

describe('custom resources', () => {
  const spec = {
    type: 'object',
    properties: { replicas: { type: 'integer' }, color: { type: 'string', default: 'red' } },
  };
  const status = {
    type: 'object',
    properties: { replicas: { type: 'integer' }, selector: { type: 'string' } },
  };
  const scale = {
    specReplicasPath: '.spec.replicas',
    statusReplicasPath: '.status.replicas',
    labelSelectorPath: '.status.selector',
  };
  const full = () =>
    crdOf(
      {},
      {
        schema: withProperties({ spec, status }),
        subresources: { status: {}, scale },
        selectableFields: [{ jsonPath: '.spec.color' }],
      },
    );

  it('STA-006 STA-007 STA-009 the main endpoint does not change the status, and counts other changes in the generation', async () => {
    await registry.establish(full());
    const made = await post(widget('a', { spec: { replicas: 1 }, status: { replicas: 9 } }));
    expect(made.body).toMatchObject({ metadata: { generation: 1 }, spec: { replicas: 1, color: 'red' } });
    expect(made.body).not.toHaveProperty('status');
    expect((await patch(`${widgets}/a`, { status: { replicas: 1 } })).body).not.toHaveProperty('status');
    const changed = await patch(`${widgets}/a/status`, {
      status: { replicas: 3 },
      spec: { replicas: 7 },
      metadata: { labels: { a: 'b' } },
    });
    expect(changed.body).toMatchObject({
      metadata: { generation: 1 },
      spec: { replicas: 1 },
      status: { replicas: 3 },
    });
    expect(changed.body.metadata.labels).toBeUndefined();
    expect((await patch(`${widgets}/a`, { spec: { replicas: 2 } })).body.metadata.generation).toBe(2);
  });

  it('STA-001 a subresource that is not enabled does not exist', async () => {
    await registry.establish(crdOf());
    await post(widget('a'));
    const { code, body } = await registry.request('GET', `${widgets}/a/status`);
    expect([code, body.message]).toEqual([404, 'widgets.example.com "a" not found']);
  });

  it('SCA-002 SCA-003 SCA-007 SCA-011 scale reads and writes the values at its paths', async () => {
    await registry.establish(full());
    await post(widget('a', { spec: { replicas: 1 } }));
    await patch(`${widgets}/a/status`, { status: { replicas: 1, selector: 'app=a' } });
    const scaled = await patch(`${widgets}/a/scale`, { spec: { replicas: 5 } });
    expect(scaled.body).toMatchObject({
      apiVersion: 'autoscaling/v1',
      kind: 'Scale',
      spec: { replicas: 5 },
      status: { replicas: 1, selector: 'app=a' },
    });
    expect((await registry.request('GET', `${widgets}/a`)).body.spec).toEqual({ color: 'red', replicas: 5 });
    const negative = await patch(`${widgets}/a/scale`, { spec: { replicas: -1 } });
    expect(negative.body.message).toContain(
      '.spec.replicas: Invalid value: -1: should be a non-negative integer',
    );
  });

  it('SCA-006 scale of an object without replicas cannot be read, and can be set', async () => {
    await registry.establish(full());
    await post(widget('a'));
    const { code, body } = await registry.request('GET', `${widgets}/a/scale`);
    expect([code, body.message]).toEqual([
      500,
      'Internal error occurred: the spec replicas field ".spec.replicas" does not exist',
    ]);
    expect((await patch(`${widgets}/a/scale`, { spec: { replicas: 2 } })).code).toBe(200);
  });

  it('scale of an object whose schema does not have its path responds without replicas', async () => {
    await registry.establish(
      crdOf(
        {},
        {
          schema: withProperties({ spec }),
          subresources: { scale: { ...scale, specReplicasPath: '.spec.absent' } },
        },
      ),
    );
    await post(widget('a'));
    const { code, body } = await patch(`${widgets}/a/scale`, { spec: { replicas: 2 } });
    expect([code, body.spec]).toEqual([200, {}]);
  });

  it('mutating admission gets the mark of a scale without replicas, validating admission does not', async () => {
    const seen: unknown[] = [];
    const note = ({ subresource, oldObject }: AdmissionAttributes) => {
      if (subresource === 'scale') seen.push(oldObject?.spec);
    };
    const other = await serveRegistry({ plugins: () => [{ name: 'Note', mutate: note, validate: note }] });
    try {
      await other.establish(full());
      await other.request('POST', widgets, widget('a'));
      const replicas = { spec: { replicas: 2 } };
      await other.request('PATCH', `${widgets}/a/scale`, replicas, 'application/merge-patch+json');
      expect(seen).toEqual([{ replicas: -2147483648 }, {}]);
    } finally {
      await other.stop();
    }
  });

  it('an apply that changes nothing adds no defaults that the schema got later', async () => {
    const typed = (color: object) => withProperties({ spec: { type: 'object', properties: { color } } });
    const versions = (color: object) => [
      { name: 'v1', served: true, storage: true, schema: typed({ type: 'string' }) },
      { name: 'v2', served: true, storage: false, schema: typed(color) },
    ];
    await registry.establish(crdOf({ versions: versions({ type: 'string', default: 'red' }) }));
    await post(widget('a', { spec: {} }));
    const path = widgets.replace('/v1/', '/v2/');
    const applied = { apiVersion: 'example.com/v2', kind: 'Widget', metadata: { name: 'a' } };
    const { code, body } = await registry.request(
      'PATCH',
      `${path}/a?fieldManager=m`,
      applied,
      'application/apply-patch+yaml',
    );
    expect([code, body.spec, body.metadata.generation]).toEqual([200, {}, 1]);
  });

  it('a version has no hash of a storage version that is not served', async () => {
    const version = { served: true, storage: false, schema: withProperties({}) };
    const versions = [
      { ...version, name: 'v1' },
      { ...version, name: 'v2', served: false, storage: true },
    ];
    await registry.establish(crdOf({ versions }));
    const { body } = await registry.request('GET', '/apis/example.com/v1');
    expect(body.resources).toEqual([expect.not.objectContaining({ storageVersionHash: expect.anything() })]);
  });

  it('SEL-004 SEL-010 are selected by the fields that are declared', async () => {
    await registry.establish(full());
    await post(widget('a'));
    await post(widget('b', { spec: { color: 'blue' } }));
    const names = (response: TestResponse) =>
      (response.body.items as { metadata: { name: string } }[]).map((item) => item.metadata.name);
    expect(names(await registry.request('GET', `${widgets}?fieldSelector=spec.color%3Dblue`))).toEqual(['b']);
    const unknown = await registry.request('GET', `${widgets}?fieldSelector=spec.size%3D1`);
    expect([unknown.code, unknown.body.message]).toEqual([400, 'field label not supported: spec.size']);
  });

  it('have warnings about finalizers whose names may conflict', async () => {
    await registry.establish(crdOf());
    const { warnings } = await post({ ...widget('a'), metadata: { name: 'a', finalizers: ['keep'] } });
    expect(warnings).toEqual([
      '299 - "metadata.finalizers: \\"keep\\": prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers"',
    ]);
    await patch(`${widgets}/a`, { metadata: { finalizers: null } });
  });
});

describe('versions', () => {
  const a = { type: 'string', default: 'from v1' };
  const versions = [
    versionOf({ schema: withProperties({ a, shared: { type: 'string' } }) }),
    versionOf({
      name: 'v2',
      storage: false,
      schema: withProperties({ b: { type: 'string', default: 'from v2' }, shared: { type: 'string' } }),
    }),
  ];
  const second = '/apis/example.com/v2/namespaces/default/widgets';

  it('VER-002 VER-010 without conversion differ in apiVersion and in pruning; defaults are those of the stored version', async () => {
    await registry.establish(crdOf({ versions }));
    const made = await registry.request('POST', second, {
      ...widget('x'),
      apiVersion: 'example.com/v2',
      shared: 's',
      b: 'lost',
    });
    expect(made.body).toMatchObject({ apiVersion: 'example.com/v2', shared: 's' });
    expect(made.body).not.toHaveProperty('b');
    const [first, other] = [
      await registry.request('GET', `${widgets}/x`),
      await registry.request('GET', `${second}/x`),
    ];
    expect(first.body).toMatchObject({ apiVersion: 'example.com/v1', a: 'from v1', shared: 's' });
    expect(other.body).toMatchObject({ apiVersion: 'example.com/v2', shared: 's' });
    expect(other.body).not.toHaveProperty('a');
  });

  it('VER-024 VER-026 deprecated ones have a warning with a replacement in every response', async () => {
    const old = versionOf({ name: 'v1beta1', storage: false, deprecated: true });
    await registry.establish(crdOf({ versions: [versionOf(), old] }));
    const { warnings } = await registry.request('GET', '/apis/example.com/v1beta1/widgets');
    expect(warnings).toEqual(['299 - "example.com/v1beta1 Widget is deprecated; use example.com/v1 Widget"']);
    expect((await registry.request('GET', '/apis/example.com/v1/widgets')).warnings).toEqual([]);
  });

  it('STO-003 STO-014 a new storage version is recorded, and objects are converted when they are written', async () => {
    await registry.establish(crdOf({ versions }));
    await post(widget('x', { shared: 's' }));
    const path = `${crds}/widgets.example.com`;
    const swapped = versions.map((version) => ({ ...version, storage: !version.storage }));
    await patch(path, { spec: { versions: swapped } });
    await registry.until('widgets.example.com', (crd) => crd?.metadata.generation === 2);
    expect((await registry.request('GET', path)).body.status).toMatchObject({ storedVersions: ['v1', 'v2'] });
    const stored = async () =>
      String((await registry.deps.store.get('/registry/example.com/widgets/default/x')).entry?.value);
    expect(JSON.parse(await stored()).apiVersion).toBe('example.com/v1');
    await patch(`${widgets}/x`, { metadata: { labels: { written: 'again' } } });
    expect(JSON.parse(await stored()).apiVersion).toBe('example.com/v2');
  });
});
