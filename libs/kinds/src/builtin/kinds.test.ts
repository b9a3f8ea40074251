import { describe, expect, it } from 'vitest';
import { builtinBehavior } from '../kind-behavior.ts';
import { builtinKinds } from './kinds.ts';
import { allMetadata, statusEndpoint } from './status.ts';

const find = (group: string, resource: string) =>
  builtinKinds((g) => g === group).find((kind) => kind.resource === resource)!;

describe('built-in kinds', () => {
  it('have the names, verbs and subresources of the recorded discovery', () => {
    const deployments = find('apps', 'deployments');
    expect(deployments).toMatchObject({
      group: 'apps',
      version: 'v1',
      kind: 'Deployment',
      listKind: 'DeploymentList',
      singular: 'deployment',
      namespaced: true,
      shortNames: ['deploy'],
      categories: ['all'],
      behavior: builtinBehavior,
      storage: { prefix: '/registry/deployments/', apiVersion: 'apps/v1', identity: true },
    });
    expect(Object.keys(deployments.subresources)).toEqual(['scale', 'status']);
    expect(deployments.subresources.scale).toMatchObject({
      group: 'autoscaling',
      version: 'v1',
      kind: 'Scale',
    });
  });

  it.each([
    ['', 'configmaps', '/registry/configmaps/'],
    ['', 'endpoints', '/registry/services/endpoints/'],
    ['', 'nodes', '/registry/minions/'],
    ['', 'replicationcontrollers', '/registry/controllers/'],
    ['', 'services', '/registry/services/specs/'],
    ['networking.k8s.io', 'ingresses', '/registry/ingress/'],
    ['apiregistration.k8s.io', 'apiservices', '/registry/apiregistration.k8s.io/apiservices/'],
  ])('of group %j, %s are stored under %s', (group, resource, prefix) => {
    expect(find(group, resource).storage?.prefix).toBe(prefix);
  });

  it('have no group in their keys, except for those of the aggregator and of CustomResourceDefinitions', () => {
    const withGroup = builtinKinds().filter(
      ({ group, storage }) => storage?.prefix.includes(`/${group}/`) && group,
    );
    expect(withGroup.map(({ resource }) => resource).toSorted()).toEqual([
      'apiservices',
      'customresourcedefinitions',
    ]);
  });

  it('are not stored if they can only be created', () => {
    expect(find('authentication.k8s.io', 'tokenreviews').storage).toBeUndefined();
  });

  it('store events.k8s.io events as core events', async () => {
    const { storage } = find('events.k8s.io', 'events');
    const event = {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { name: 'e' },
      note: 'n',
      regarding: {},
    };
    const stored = await storage!.toStored(structuredClone(event));
    expect(storage!.prefix).toBe('/registry/events/');
    expect(stored).toEqual({
      apiVersion: 'v1',
      reportingComponent: '',
      reportingInstance: '',
      kind: 'Event',
      metadata: { name: 'e' },
      message: 'n',
      involvedObject: {},
    });
    expect(await storage!.fromStored(stored)).toEqual(event);
  });

  it('accept no status at the main endpoint and no spec at the status endpoint', async () => {
    const { strategy, subresources } = find('apps', 'replicasets');
    const old = { metadata: { name: 'd' }, spec: { replicas: 1 }, status: { replicas: 1 } };
    const sent = {
      metadata: { name: 'd', labels: { a: 'b' } },
      spec: { replicas: 2 },
      status: { replicas: 2 },
    };
    const updated = structuredClone(sent);
    await strategy.prepareForUpdate!(updated, old, undefined as never);
    expect(updated.status).toEqual({ replicas: 1 });
    expect(await subresources.status!.write!(structuredClone(sent), old, undefined as never)).toMatchObject({
      metadata: { labels: { a: 'b' } },
      spec: { replicas: 1 },
      status: { replicas: 2 },
    });
  });

  it('keep the metadata that the status endpoint does not accept', async () => {
    const old = { metadata: { name: 'x', labels: { old: 'l' } } };
    const sent = { metadata: { name: 'x', labels: { a: 'b' }, annotations: { c: 'd' } }, status: {} };
    const metadataAfter = async (endpoint: ReturnType<typeof statusEndpoint>) =>
      (await endpoint.write!(sent, old, undefined as never)).metadata;
    expect(await metadataAfter(statusEndpoint())).toEqual({
      name: 'x',
      labels: { a: 'b' },
      annotations: { c: 'd' },
    });
    expect(await metadataAfter(statusEndpoint({ keeps: ['labels'] }))).toEqual({
      name: 'x',
      labels: { old: 'l' },
      annotations: { c: 'd' },
    });
    const keepsAll = statusEndpoint({ keeps: allMetadata });
    expect(await metadataAfter(keepsAll)).toEqual({ name: 'x', labels: { old: 'l' } });
    expect(keepsAll.resetFields).toEqual([['metadata'], ['spec']]);
  });

  it('are extended without compiling their schema', () => {
    const configMaps = {
      group: '',
      resource: 'configmaps',
      cells: { Data: () => '2' },
      strategy: { allowCreateOnUpdate: true },
    };
    const extended = builtinKinds((group) => group === '', [configMaps]).find(
      ({ resource }) => resource === 'configmaps',
    )!;
    expect(Object.getOwnPropertyDescriptor(extended, 'schema')!.get).toBeDefined();
    expect(extended.columns.map((c) => c.name)).toEqual(['Name', 'Data', 'Age']);
    expect(extended.columns[1]!.cell({ metadata: {} }, 0)).toBe('2');
    expect(extended.strategy).toMatchObject({
      allowCreateOnUpdate: true,
      metaChecks: { asUpdate: 1, asWhole: 1, standardFinalizers: true },
    });
  });
});
