import { afterAll, beforeAll, expect, it } from 'vitest';
import { serveCoreApi, type ServedCoreApi } from './served.fixture.ts';

let server: ServedCoreApi;
beforeAll(async () => {
  server = await serveCoreApi();
});
afterAll(() => server.stop());

const configMaps = 'namespaces/default/configmaps';
const watch = (path: string, accept = 'application/json') =>
  server.client.send({ path: `/api/v1/${path}`, headers: { accept } });

it.each([
  [
    'only an encoding is wrong',
    'watch=1&timeoutSeconds=1',
    406,
    'only the following media types are accepted',
  ],
  ['a number is wrong too', 'watch=1&timeoutSeconds=x', 400, 'strconv.ParseInt'],
  ['a label selector is wrong too', 'watch=1&labelSelector=a%3Db%3Dc', 400, "found ''=''"],
  ['a field is not known', 'watch=1&fieldSelector=reason%3Da', 400, 'is not a known field selector'],
  [
    'options exclude each other',
    'watch=1&sendInitialEvents=true',
    422,
    'requires setting resourceVersionMatch',
  ],
  ['a version is not a number', 'watch=1&resourceVersion=x', 500, 'strconv.ParseUint'],
])('a watch in YAML is refused last: %s', async (_, query, status, text) => {
  const response = await watch(`${configMaps}?${query}`, 'application/yaml');
  expect(response.status).toBe(status);
  expect(response.body.toString().replaceAll(/\s+/g, ' ')).toContain(text);
});

it('options below /watch/ are those of a list', async () => {
  const response = await watch(`watch/${configMaps}?sendInitialEvents=true`);
  expect(response.status).toBe(422);
  expect(response.body.toString()).toContain('sendInitialEvents is forbidden for list');
});

it.each([
  [`watch/${configMaps}?`, ['ADDED']],
  [`${configMaps}?watch=1&`, ['ADDED', 'BOOKMARK']],
])('initial events of %s', async (path, expected) => {
  await server.request('POST', `/api/v1/${configMaps}`, { metadata: { name: 'a' } });
  const response = await watch(`${path}allowWatchBookmarks=true&timeoutSeconds=1`);
  const lines = response.body.toString().trim().split('\n');
  expect(lines.map((line) => (JSON.parse(line) as { type: string }).type)).toEqual(expected);
});

it.each([
  ['continue=abc', 422, 'resourceVersionMatch is forbidden when continue is provided'],
  ['sendInitialEvents=true&resourceVersionMatch=NotOlderThan', 200, 'ConfigMapList'],
])(
  'the options of a deletion with the parameter watch are those of a watch: %s',
  async (query, status, text) => {
    const path = `/api/v1/${configMaps}?dryRun=All&watch=true&${query}`;
    const response = await server.client.send({ method: 'DELETE', path });
    expect(response.status).toBe(status);
    expect(response.body.toString()).toContain(text);
  },
);
