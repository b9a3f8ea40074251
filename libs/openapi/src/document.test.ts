import type { JsonObject } from '@annex/machinery';
import { describe, expect, it } from 'vitest';
import { builtinDocuments } from './builtin-documents.ts';
import { builtinKinds, KindRegistry } from '@annex/kinds';
import { openApiDocument } from './document.ts';

const verbs = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
const group = 'openapi-v3-doc.example.com';
const document = openApiDocument({
  group,
  version: 'v1',
  custom: true,
  schemas: {},
  resources: [
    {
      resource: 'crontabs',
      responseKind: { group, version: 'v1', kind: 'CronTab' },
      scope: 'Namespaced',
      singularResource: 'crontab',
      verbs,
    },
  ],
});
const paths = document.paths as Record<string, Record<string, JsonObject>>;
const collection = '/apis/openapi-v3-doc.example.com/v1/namespaces/{namespace}/crontabs';

describe('the paths of a custom resource (recording openapi-v3-doc)', () => {
  it.each([
    [
      collection,
      'get',
      'listOpenapiV3DocExampleComV1NamespacedCronTab',
      'list',
      'list objects of kind CronTab',
    ],
    [collection, 'post', 'createOpenapiV3DocExampleComV1NamespacedCronTab', 'post', 'create a CronTab'],
    [
      collection,
      'delete',
      'deleteOpenapiV3DocExampleComV1CollectionNamespacedCronTab',
      'deletecollection',
      'delete collection of CronTab',
    ],
    [
      `${collection}/{name}`,
      'get',
      'readOpenapiV3DocExampleComV1NamespacedCronTab',
      'get',
      'read the specified CronTab',
    ],
    [
      `${collection}/{name}`,
      'put',
      'replaceOpenapiV3DocExampleComV1NamespacedCronTab',
      'put',
      'replace the specified CronTab',
    ],
    [
      `${collection}/{name}`,
      'patch',
      'patchOpenapiV3DocExampleComV1NamespacedCronTab',
      'patch',
      'partially update the specified CronTab',
    ],
    [
      `${collection}/{name}`,
      'delete',
      'deleteOpenapiV3DocExampleComV1NamespacedCronTab',
      'delete',
      'delete a CronTab',
    ],
  ])('%s %s', (path, method, operationId, action, description) => {
    expect(paths[path]?.[method]).toMatchObject({
      operationId,
      'x-kubernetes-action': action,
      'x-kubernetes-group-version-kind': { group, version: 'v1', kind: 'CronTab' },
      description,
      tags: ['openapiV3DocExampleCom_v1'],
    });
  });

  it('lists across namespaces without a namespace in the path', () => {
    expect(paths[`/apis/${group}/v1/crontabs`]?.get?.operationId).toBe(
      'listOpenapiV3DocExampleComV1CronTabForAllNamespaces',
    );
  });
});

describe('the documents of built-in kinds', () => {
  const groups = ['', 'apps', 'rbac.authorization.k8s.io'];
  const kinds = new KindRegistry();
  for (const kind of builtinKinds((name) => groups.includes(name))) kinds.add(kind);
  const documents = builtinDocuments(kinds, () => true);

  it('exist for each version', () => {
    expect(documents.paths()).toEqual(['api/v1', 'apis/apps/v1', 'apis/rbac.authorization.k8s.io/v1']);
  });

  it('are undefined for paths of other groups', () => {
    expect(documents.document('apis/batch/v1')).toBeUndefined();
  });

  it("have kube-apiserver's operation IDs, and the parameter with which kubectl detects field validation", async () => {
    const apps = (await documents.document('apis/apps/v1'))?.paths as Record<
      string,
      Record<string, JsonObject>
    >;
    const patch = apps['/apis/apps/v1/namespaces/{namespace}/deployments/{name}']?.patch;
    expect(patch).toMatchObject({
      operationId: 'patchAppsV1NamespacedDeployment',
      tags: ['apps_v1'],
      'x-kubernetes-group-version-kind': { group: 'apps', version: 'v1', kind: 'Deployment' },
    });
    expect(patch?.parameters).toContainEqual({
      name: 'fieldValidation',
      in: 'query',
      description: expect.stringContaining('instructs the server') as string,
      schema: { type: 'string', uniqueItems: true },
    });
    const scale = apps['/apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale']?.get;
    expect(scale).toMatchObject({
      operationId: 'readAppsV1NamespacedDeploymentScale',
      'x-kubernetes-group-version-kind': { group: 'autoscaling', version: 'v1', kind: 'Scale' },
    });
  });
});

describe('the paths of built-in kinds', () => {
  const kinds = new KindRegistry();
  for (const kind of builtinKinds((name) => name === '')) kinds.add(kind);
  const core = builtinDocuments(kinds, () => true).document('api/v1') as { paths: typeof paths };
  const operationAt = (path: string, method: string) => core.paths[path]?.[method] as JsonObject;

  it('begin with the path of the list', () => {
    expect(operationAt('/api/v1/', 'get')).toMatchObject({
      operationId: 'getCoreV1APIResources',
      tags: ['core_v1'],
    });
  });

  it('document watches of lists and their media types', () => {
    const list = operationAt('/api/v1/namespaces/{namespace}/endpoints', 'get');
    expect(list.description).toBe('list or watch objects of kind Endpoints');
    expect(list).toHaveProperty(['responses', '200', 'content', 'application/json;stream=watch']);
  });

  it('consume every media type, and have no article before plural-like kinds', () => {
    const create = operationAt('/api/v1/namespaces/{namespace}/endpoints', 'post');
    expect(create.description).toBe('create Endpoints');
    expect(create).toHaveProperty(['requestBody', 'content', '*/*']);
  });

  it('contain the parameters of their only operation', () => {
    const item = core.paths['/api/v1/namespaces/{namespace}/pods/{name}/eviction'];
    expect(item?.post).not.toHaveProperty('parameters');
    expect((item?.parameters as unknown as JsonObject[]).map(({ name }) => name)).toEqual([
      'dryRun',
      'fieldManager',
      'fieldValidation',
      'name',
      'namespace',
      'pretty',
    ]);
  });
});
