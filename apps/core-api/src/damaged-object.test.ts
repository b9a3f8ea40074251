import { afterAll, beforeAll, expect, it } from 'vitest';
import { serveCoreApi, type ServedCoreApi } from './served.fixture.ts';

let server: ServedCoreApi;
const configMaps = '/api/v1/namespaces/default/configmaps';
const key = (name: string) => `/registry/configmaps/default/${name}`;

beforeAll(async () => {
  server = await serveCoreApi();
  await server.request('POST', configMaps, { metadata: { name: 'whole' } });
});
afterAll(() => server.stop());

it.each<[what: string, name: string, value: string, why: string]>([
  ['is no JSON', 'a', '{"kind":', 'unexpected end of JSON input'],
  ['is nothing', 'b', '', 'unexpected end of JSON input'],
  ['is a list', 'c', '[1]', 'it is not an object'],
  ['is null', 'd', 'null', 'it is not an object'],
])(
  'an object that %s is named by the responses that need it; others are served',
  async (_what, name, value, why) => {
    const { store } = server.deps;
    const revision = await store.create(key(name), Buffer.from(value));
    const damaged = {
      code: 500,
      body: { message: `Internal error occurred: the value of the key ${key(name)} is damaged: ${why}` },
    };
    expect(await server.request('GET', `${configMaps}/${name}`)).toMatchObject(damaged);
    expect(await server.request('GET', configMaps)).toMatchObject(damaged);
    expect(await server.request('GET', `${configMaps}/whole`)).toMatchObject({ code: 200 });
    expect(await server.request('GET', '/api/v1/namespaces')).toMatchObject({ code: 200 });
    await store.delete(key(name), revision);
    expect(await server.request('GET', configMaps)).toMatchObject({ code: 200 });
  },
);
