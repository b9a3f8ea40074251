import { get, post, remove } from '../groups/request-group.ts';
import { media } from '../turn-row.ts';
import { definitions, groupOf, numbered } from './stored-kinds.ts';
import { request, type Site, type Stage, start } from './stage.ts';

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const count = 10_000;
const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const objects = (i: number): string => `/apis/${groupOf(i)}/v1/namespaces/default/kind${i}s`;

/** Creates definitions, eight at a time, and waits until they are served. */
const create = async (site: Site, first: number, length: number): Promise<void> => {
  const numbers = Array.from({ length }, (_, i) => first + i).values();
  const work = async (): Promise<void> => {
    for (const i of numbers) {
      await site.must(post(crds, numbered(i)));
      await site.served(`${objects(i)}?limit=1`);
    }
  };
  await Promise.all(Array.from({ length: 8 }, work));
};

/** A start with many definitions, the first documents, and further definitions. */
export const definitionStages: readonly Stage[] = [
  {
    name: '10k definitions',
    image: () => ({ objects: 0, text: 0, dependents: 0, inNamespace: 0, further: definitions(count) }),
    steps: [
      start,
      request('index of /openapi/v3', get('/openapi/v3')),
      request('/openapi/v3 of a group', get(`/openapi/v3/apis/${groupOf(0)}/v1`)),
      { name: 'first /openapi/v2', run: (site) => site.served('/openapi/v2') },
      request('/openapi/v2 as protobuf', get('/openapi/v2', media.openApiV2)),
      request('/apis', get('/apis')),
      request('aggregated discovery', get('/apis', aggregated)),
      request('a group', get(`/apis/${groupOf(0)}/v1`)),
      request('list', get(crds)),
      request('list as Table', get(crds, media.table)),
      request('APIServices', get('/apis/apiregistration.k8s.io/v1/apiservices')),
      { name: 'one more', run: (site) => create(site, count, 1) },
      { name: '200 more', run: (site) => create(site, count + 1, 200) },
      { name: '/openapi/v2 after them', run: (site) => site.served('/openapi/v2') },
      request('index after them', get('/openapi/v3')),
      request('aggregated discovery after them', get('/apis', aggregated)),
      request('first object', () =>
        post(objects(7), {
          apiVersion: `${groupOf(7)}/v1`,
          kind: numbered(7).spec.names.kind,
          metadata: { name: 'a' },
          spec: { size: 1 },
        }),
      ),
      {
        name: 'delete one',
        run: async (site) => {
          await site.must(remove(`${crds}/${numbered(8).metadata.name}`));
          await site.gone(objects(8));
        },
      },
      {
        name: 'delete 100',
        run: async (site) => {
          for (let i = 100; i < 200; i++) await site.must(remove(`${crds}/${numbered(i).metadata.name}`));
        },
      },
    ],
  },
];
