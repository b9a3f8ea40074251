import { afterEach, beforeEach, expect, it } from 'vitest';
import { type ApiService, apiServicesPrefix } from '@annex/aggregation';
import type { ServerDeps } from '@annex/server';
import type { GroupDiscovery } from '@annex/kinds';
import { type FrontProxy, createFrontProxy } from './app.ts';
import { makeDeps } from './forward.fixture.ts';

class Source {
  list: GroupDiscovery[];
  readonly #listeners = new Set<() => void>();
  constructor(...groups: string[]) {
    this.list = groups.map(group);
  }
  groups = () => this.list;
  onChange = (listener: () => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
  change(...groups: string[]): void {
    this.list = groups.map(group);
    for (const listener of this.#listeners) listener();
  }
}

/** A source that lists its versions. */
class Listing extends Source {
  listed = 0;
  override groups = (): GroupDiscovery[] => {
    throw new Error('the kinds are described');
  };
  groupVersions = () => {
    this.listed++;
    return this.list.map(({ metadata, versions }) => ({
      group: metadata.name ?? '',
      version: versions[0]?.version ?? '',
    }));
  };
}

const group = (gv: string): GroupDiscovery => {
  const [name = '', version = ''] = gv.split('/');
  return { metadata: name === '' ? {} : { name }, versions: [{ version, resources: [] }] };
};

let deps: ServerDeps;
const running: FrontProxy[] = [];

async function start(...sources: Source[]): Promise<FrontProxy> {
  const frontProxy = createFrontProxy(deps, { client: () => undefined, managed: sources });
  await frontProxy.start();
  running.push(frontProxy);
  return frontProxy;
}

/** Returns the APIServices as `name: label group/version priorities`. */
async function registered(): Promise<string[]> {
  const cache = deps.feed.objects(apiServicesPrefix);
  await cache.waitFor();
  return cache.list(apiServicesPrefix).entries.map(({ value }) => {
    const { metadata, spec, status } = value.object as ApiService;
    const label = metadata.labels?.['kube-aggregator.kubernetes.io/automanaged'] ?? '-';
    const reason = status?.conditions?.[0]?.reason ?? '-';
    return `${metadata.name} ${label} ${spec.groupPriorityMinimum}/${spec.versionPriority} ${reason}`;
  });
}

function when(frontProxy: FrontProxy, holds: () => boolean): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const look = () => holds() && resolve();
  const end = frontProxy.apiServices.onChange(look);
  look();
  return promise.finally(end);
}

beforeEach(() => (deps = makeDeps()));
afterEach(async () => {
  for (const frontProxy of running.splice(0)) await frontProxy.stop();
  await deps.feed.close();
  await deps.store.close();
});

it('registers built-in versions at start and custom ones permanently, with kube priorities', async () => {
  await start(
    new Source('/v1', 'apps/v1'),
    new Source('apiextensions.k8s.io/v1', 'foos.example.com/v1beta1'),
  );
  expect(await registered()).toEqual([
    'v1. onstart 18000/1 Local',
    'v1.apiextensions.k8s.io onstart 16700/15 Local',
    'v1.apps onstart 17800/15 Local',
    'v1beta1.foos.example.com true 1000/100 Local',
  ]);
});

it('writes nothing on a later start', async () => {
  const first = await start(new Source('/v1', 'apps/v1', 'foos.example.com/v1'));
  await first.stop();
  const before = await deps.store.currentRevision();
  await start(new Source('/v1', 'apps/v1', 'foos.example.com/v1'));
  expect(await deps.store.currentRevision()).toBe(before);
});

it('does not require the description of kinds from a source that lists its versions', async () => {
  const custom = new Listing('foos.example.com/v1');
  const frontProxy = await start(custom);
  custom.change('foos.example.com/v1');
  custom.change('foos.example.com/v1', 'bars.example.com/v1');
  await when(frontProxy, () => frontProxy.apiServices.get('v1.bars.example.com') !== undefined);
  custom.change('bars.example.com/v1');
  await when(frontProxy, () => frontProxy.apiServices.get('v1.foos.example.com') === undefined);
  expect(await registered()).toEqual(['v1.bars.example.com true 1000/100 Local']);
});

it('does not list all versions for each of many changes in one turn', async () => {
  const custom = new Listing();
  const frontProxy = await start(custom);
  for (let i = 0; i < 100; i++) custom.change('foos.example.com/v1', `foos.example.com/v${i + 2}`);
  await when(frontProxy, () => frontProxy.apiServices.get('v101.foos.example.com') !== undefined);
  expect(custom.listed).toBeLessThan(10);
});

it('follows the versions of custom resources', async () => {
  const custom = new Source();
  const frontProxy = await start(custom);
  custom.change('a.example.com/v1');
  await when(frontProxy, () => frontProxy.apiServices.get('v1.a.example.com') !== undefined);
  custom.change();
  await when(frontProxy, () => frontProxy.apiServices.get('v1.a.example.com') === undefined);
});

it('creates a deleted APIService of a custom resource again, and corrects a changed one', async () => {
  const frontProxy = await start(new Source('a.example.com/v1'));
  const key = `${apiServicesPrefix}v1.a.example.com`;
  const { uid } = frontProxy.apiServices.get('v1.a.example.com')?.metadata ?? {};
  await deps.store.delete(key);
  await when(frontProxy, () => {
    const now = frontProxy.apiServices.get('v1.a.example.com');
    return now !== undefined && now.metadata.uid !== uid;
  });
  const { entry } = await deps.store.get(key);
  const changed = JSON.parse(Buffer.from(entry?.value ?? []).toString()) as ApiService;
  changed.spec.versionPriority = 7;
  await deps.store.update(key, Buffer.from(JSON.stringify(changed)), entry?.modRevision ?? 0);
  await when(frontProxy, () => frontProxy.apiServices.get('v1.a.example.com')?.spec.versionPriority === 100);
});

it('does not create a deleted built-in APIService before the next start', async () => {
  const first = await start(new Source('apps/v1'));
  await deps.store.delete(`${apiServicesPrefix}v1.apps`);
  await when(first, () => first.apiServices.get('v1.apps') === undefined);
  await first.stop();
  expect(await registered()).toEqual([]);
  await start(new Source('apps/v1'));
  expect(await registered()).toEqual(['v1.apps onstart 17800/15 Local']);
});

it('deletes an APIService whose CRD was deleted before its event', async () => {
  const frontProxy = await start(new Source());
  const stale = {
    kind: 'APIService',
    apiVersion: 'apiregistration.k8s.io/v1',
    metadata: { name: 'v1.a.example.com', labels: { 'kube-aggregator.kubernetes.io/automanaged': 'true' } },
    spec: { group: 'a.example.com', version: 'v1', groupPriorityMinimum: 1000, versionPriority: 100 },
  };
  const created = when(frontProxy, () => frontProxy.apiServices.get('v1.a.example.com') !== undefined);
  await deps.store.create(`${apiServicesPrefix}v1.a.example.com`, Buffer.from(JSON.stringify(stale)));
  await created;
  await when(frontProxy, () => frontProxy.apiServices.get('v1.a.example.com') === undefined);
});

it('does not change objects without its label', async () => {
  const mine = {
    kind: 'APIService',
    apiVersion: 'apiregistration.k8s.io/v1',
    metadata: { name: 'v1.apps' },
    spec: { group: 'apps', version: 'v1', groupPriorityMinimum: 5, versionPriority: 5 },
    status: { conditions: [{ type: 'Available', status: 'True', reason: 'Local', message: '' }] },
  };
  await deps.store.create(`${apiServicesPrefix}v1.apps`, Buffer.from(JSON.stringify(mine)));
  await start(new Source('apps/v1'));
  expect(await registered()).toEqual(['v1.apps - 5/5 Local']);
});
