import type { Attributes, Authorizer } from '@annex/auth';
import type { JsonObject } from '@annex/machinery';
import { beforeEach, expect, it } from 'vitest';
import { servedKinds } from '../served-kinds.fixture.ts';

/** What the user is not allowed to do, as `verb group/resource/subresource namespace/name`. */
const denied = new Set<string>();
const nameOf = ({ apiGroup, name, namespace, resource, subresource, verb }: Attributes) =>
  `${verb} ${apiGroup}/${resource}/${subresource} ${namespace}/${name}`;
const authorizer: Authorizer = {
  name: 'test',
  authorize: (attributes) =>
    denied.has(nameOf(attributes))
      ? { decision: 'noOpinion', reason: 'why' }
      : { decision: 'allow', reason: '' },
};

const { create, request } = servedKinds({ enabled: ['OwnerReferencesPermissionEnforcement'], authorizer });
const maps = '/api/v1/namespaces/ns/configmaps';
const owner = { apiVersion: 'v1', kind: 'Secret', name: 's', uid: '1' };
const blocking = { ...owner, blockOwnerDeletion: true };
const node = { ...blocking, kind: 'Node', name: 'n', uid: '2' };
const everyFinalizer = 'update */*/finalizers /*';

const owned = (...ownerReferences: JsonObject[]) => ({ metadata: { ownerReferences } });
const patch = (body: JsonObject) => request('PATCH', `${maps}/m`, body, 'application/merge-patch+json');

beforeEach(async () => {
  denied.clear();
  await request('DELETE', `${maps}/m`);
  await create(maps, { metadata: { name: 'm', ownerReferences: [owner] } });
});

const cannotDelete = "cannot set an ownerRef on a resource you can't delete: why, <nil>";
const cannotBlock =
  "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: why, <nil>";

it.each<[what: string, denied: string[], body: JsonObject, why: string]>([
  ['without the permission to delete', ['delete /configmaps/ ns/m'], owned(), cannotDelete],
  [
    'of an owner in the namespace',
    [everyFinalizer, 'update /secrets/finalizers ns/s'],
    owned(blocking),
    cannotBlock,
  ],
  [
    'of an owner without a namespace',
    [everyFinalizer, 'update /nodes/finalizers /n'],
    owned(owner, node),
    cannotBlock,
  ],
  [
    'of an unknown kind',
    [everyFinalizer],
    owned({ ...blocking, apiVersion: 'a.b/v1', kind: 'C' }),
    'cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion a.b/v1 Kind C: no matches for kind "C" in version "a.b/v1"',
  ],
])('a change of owners is refused %s', async (_, missing, body, why) => {
  for (const one of missing) denied.add(one);
  expect(await patch(body)).toMatchObject({
    code: 403,
    body: { reason: 'Forbidden', message: `configmaps "m" is forbidden: ${why}` },
  });
});

it.each<[what: string, denied: string[], body: JsonObject]>([
  ['that does not change owners', ['delete /configmaps/ ns/m'], { data: { a: 'b' } }],
  [
    'of owners that are not blocked',
    [everyFinalizer, 'update /secrets/finalizers ns/s'],
    owned({ ...owner, controller: true }),
  ],
  ['by a user who may update all finalizers', ['update /secrets/finalizers ns/s'], owned(blocking)],
])('a change %s is accepted', async (_, missing, body) => {
  for (const one of missing) denied.add(one);
  expect(await patch(body)).toMatchObject({ code: 200 });
});

it('owners of a new object require no permission to delete it', async () => {
  denied.add('delete /configmaps/ ns/new');
  const created = await create(maps, { metadata: { name: 'new', ownerReferences: [owner] } });
  expect(created.metadata).toMatchObject({ name: 'new', ownerReferences: [owner] });
});
