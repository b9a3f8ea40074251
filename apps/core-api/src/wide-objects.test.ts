import { loadProtobuf, patchTypes } from '@annex/kinds';
import { type KubeObject, maxObjectMembers } from '@annex/machinery';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveCoreApi, type ServedCoreApi } from './served.fixture.ts';

let server: ServedCoreApi;
const maps = '/api/v1/namespaces/default/configmaps';
const stored = 35_000;

beforeAll(async () => {
  server = await serveCoreApi();
  const created = await server.request('POST', maps, configMap('wide', members('k', stored)));
  expect(created.code).toBe(201);
});
afterAll(() => server.stop());

const members = (letter: string, count: number, value = ''): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`${letter}${i}`, value]));
const configMap = (name: string, data: object) =>
  ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data }) as unknown as KubeObject;
const refused = {
  code: 413,
  message: `Request entity too large: limit is ${maxObjectMembers} members of one object`,
};
const rest = maxObjectMembers - stored;

type Row = [what: string, type: string, path: string, patch: (data: Record<string, string>) => unknown];
const patches: Row[] = [
  ['a merge patch', patchTypes.merge, '', (data) => ({ data })],
  ['a strategic merge patch', patchTypes.strategic, '', (data) => ({ data })],
  [
    'a JSON patch',
    patchTypes.json,
    '',
    (data) => Object.keys(data).map((key) => ({ op: 'add', path: `/data/${key}`, value: '' })),
  ],
  [
    'a server-side apply',
    patchTypes.apply,
    '&fieldManager=other&force=true',
    (data) => configMap('wide', data),
  ],
];

describe.each(patches)('%s', (_what, type, query, patch) => {
  const send = (data: Record<string, string>) =>
    server.request('PATCH', `${maps}/wide?dryRun=All${query}`, JSON.stringify(patch(data)), type);

  it('can add members up to the limit', async () => {
    expect(await send(members('m', rest))).toMatchObject({ code: 200 });
  });

  it('that adds one more gets 413', async () => {
    expect(await send(members('m', rest + 1))).toMatchObject(refused);
  });

  it('counts members that exist once', async () => {
    expect(await send(members('k', 10_000, 'x'))).toMatchObject({ code: 200 });
  });
});

it.each([
  ['a merge patch', patchTypes.merge],
  ['a strategic merge patch', patchTypes.strategic],
])('%s can replace all members', async (_what, type) => {
  const removed = Object.fromEntries(Object.keys(members('k', stored)).map((key) => [key, null]));
  const data = { ...removed, ...members('m', 5000) };
  const response = await server.request('PATCH', `${maps}/wide?dryRun=All`, JSON.stringify({ data }), type);
  expect(response.code).toBe(200);
});

it.each([
  ['JSON', 'application/json', (object: KubeObject) => JSON.stringify(object)],
  [
    'YAML',
    'application/yaml',
    ({ data }: KubeObject) =>
      `metadata: { name: new }\ndata:\n${Object.keys(data as object)
        .map((key) => `  ${key}: ""\n`)
        .join('')}`,
  ],
  ['JSON as YAML', 'application/yaml', (object: KubeObject) => JSON.stringify(object)],
  [
    'protobuf',
    'application/vnd.kubernetes.protobuf',
    async (object: KubeObject) => (await loadProtobuf()).encodeProtobuf(object),
  ],
])('an object of too many members as %s gets 413', async (_what, type, encode) => {
  const body = await encode(configMap('new', members('k', maxObjectMembers + 1)));
  expect(await server.request('POST', `${maps}?dryRun=All`, body, type)).toMatchObject(refused);
});

it('a configuration of too many members is not applied', async () => {
  const body = JSON.stringify(configMap('wide', members('k', maxObjectMembers + 1)));
  const path = `${maps}/wide?fieldManager=other&force=true`;
  expect(await server.request('PATCH', path, body, patchTypes.apply)).toMatchObject(refused);
});
