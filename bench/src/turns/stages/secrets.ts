import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { get, patch, post, remove } from '../groups/request-group.ts';
import { textOf } from '../large-objects.ts';
import { media } from '../turn-row.ts';
import { request, type Stage } from './stage.ts';

const secrets = '/api/v1/namespaces/audited/secrets';
const registration = '/apis/admissionregistration.k8s.io/v1';
const encryption = {
  apiVersion: 'apiserver.config.k8s.io/v1',
  kind: 'EncryptionConfiguration',
  resources: [
    {
      resources: ['secrets'],
      providers: [
        { aesgcm: { keys: [{ name: 'key1', secret: Buffer.alloc(32, 7).toString('base64') }] } },
        { identity: {} },
      ],
    },
  ],
};

/** A Secret of one megabyte: `count` texts. */
const secret = (name: string, count: number, more: object = {}) => {
  const text = Buffer.from(textOf(Math.floor(730_000 / count))).toString('base64');
  const data = Object.fromEntries(Array.from({ length: count }, (_, i) => [`key-${i}`, text]));
  return { metadata: { name }, type: 'Opaque', data: { ...data, ...more } };
};

const requests = (name: string, count: number) =>
  [
    request(`create, ${name}`, () => post(secrets, secret(name, count))),
    request(`get, ${name}`, get(`${secrets}/${name}`)),
    request(`get protobuf, ${name}`, get(`${secrets}/${name}`, media.protobuf)),
    request(`update, ${name}`, () => ({
      ...post(`${secrets}/${name}`, secret(name, count, { a: 'eHh4' })),
      method: 'PUT',
    })),
    request(`patch, ${name}`, patch(`${secrets}/${name}`, media.merge, { data: { b: 'eHh4' } })),
    request(`apply, ${name}`, () =>
      patch(`${secrets}/${name}?fieldManager=a&force=true`, media.apply, {
        apiVersion: 'v1',
        kind: 'Secret',
        ...secret(name, count, { c: 'eHh4' }),
      }),
    ),
    request(`list, ${name}`, get(secrets)),
    request(`delete, ${name}`, remove(`${secrets}/${name}`)),
  ] as const;

/** Secrets of 1 MB that are encrypted, audited with their bodies, and sent to webhooks. */
export const secretStages: readonly Stage[] = [
  {
    name: 'encrypted Secrets',
    args: (folder) => {
      const file = join(folder, 'encryption.json');
      writeFileSync(file, JSON.stringify(encryption));
      return [`--encryption-provider-config=${file}`];
    },
    steps: [
      {
        name: 'webhooks',
        run: async (site) => {
          await site.must(post('/api/v1/namespaces', { metadata: { name: 'audited' } }));
          for (const path of ['mutate', 'validate'])
            await site.must(
              post(`${registration}/${path === 'mutate' ? 'mutating' : 'validating'}webhookconfigurations`, {
                metadata: { name: path },
                webhooks: [
                  {
                    name: `${path}.annex.example`,
                    clientConfig: site.webhooks.clientConfig(`/${path}`),
                    rules: [
                      {
                        operations: ['CREATE', 'UPDATE'],
                        apiGroups: [''],
                        apiVersions: ['v1'],
                        resources: ['secrets'],
                      },
                    ],
                    sideEffects: 'None',
                    admissionReviewVersions: ['v1'],
                  },
                ],
              }),
            );
        },
      },
      ...requests('one-text', 1),
      ...requests('texts', 100),
      ...requests('keys', 10_000),
    ],
  },
];
