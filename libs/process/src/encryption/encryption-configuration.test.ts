import { describe, expect, it } from 'vitest';
import { parseGroupResource, resourceOfKey } from './group-resource.ts';
import { readTransformers } from './open-encryption.ts';

const head = 'apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\n';
const secret = Buffer.alloc(32, 1).toString('base64');
const short = Buffer.alloc(15, 1).toString('base64');
const keys = (name: string, value: string) => `keys: [{name: '${name}', secret: '${value}'}]`;
const gcm = `{aesgcm: {${keys('a', secret)}}}`;
const of = (resources: string, providers: string) =>
  `${head}resources: [{resources: [${resources}], providers: [${providers}]}]`;

const parsing = 'error while parsing file: ';
const providers = 'resources[0].providers[0]';
it.each<[what: string, text: string, error: string]>([
  ['no resources', head, `${parsing}resources: Required value: at least one resources is required`],
  [
    'an empty item',
    `${head}resources: [{}]`,
    `${parsing}[resources[0].resources: Required value: at least one resources[0].resources is required, ` +
      'resources[0].providers: Required value: at least one resources[0].providers is required]',
  ],
  [
    'an unknown field',
    of('secrets', '{aesgmc: {}}'),
    `${parsing}strict decoding error: unknown field "${providers}.aesgmc"`,
  ],
  [
    'another kind',
    'apiVersion: apiserver.config.k8s.io/v1\nkind: AuthorizationConfiguration',
    `${parsing}got unexpected config type: apiserver.config.k8s.io/v1, Kind=AuthorizationConfiguration`,
  ],
  ['no kind', 'a: 1', `${parsing}Object 'Kind' is missing in 'a: 1'`],
  [
    'an empty provider',
    of('secrets', '{}'),
    `${parsing}${providers}: Invalid value: {"AESGCM":null,"AESCBC":null,"Secretbox":null,"Identity":null,"KMS":null}: ` +
      'provider does not contain any of the expected providers: KMS, AESGCM, AESCBC, Secretbox, Identity',
  ],
  [
    'two providers in one item',
    of('secrets', `{identity: {}, aesgcm: {${keys('a', secret)}}}`),
    `${parsing}${providers}: Invalid value: {"AESGCM":{"Keys":[{"Name":"a","Secret":"REDACTED"}]},"AESCBC":null,"Secretbox":null,"Identity":{},"KMS":null}: ` +
      'more than one provider specified in a single element, should split into different list elements',
  ],
  [
    'a KMS plugin',
    of('secrets', '{kms: {apiVersion: v2, name: a, endpoint: unix:///a}}'),
    `${parsing}${providers}.kms: Forbidden: KMS plugins are not supported`,
  ],
  [
    'no keys',
    of('secrets', '{aescbc: {keys: []}}'),
    `${parsing}${providers}.aescbc.keys: Required value: at least one keys is required`,
  ],
  [
    'an empty key',
    of('secrets', '{secretbox: {keys: [{}]}}'),
    `${parsing}[${providers}.secretbox.keys[0].name: Required value: name is a mandatory field for a key, ` +
      `${providers}.secretbox.keys[0].secret: Required value: secret is a mandatory field for a key]`,
  ],
  [
    'a secret that is not base64',
    of('secrets', `{aesgcm: {${keys('a', 'a')}}}`),
    `${parsing}${providers}.aesgcm.keys[0].secret: Invalid value: "REDACTED": secrets must be base64 encoded`,
  ],
  [
    'a short key',
    of('secrets', `{aesgcm: {${keys('a', short)}}}`),
    `${parsing}${providers}.aesgcm.keys[0].secret: Invalid value: "REDACTED": secret is not of the expected length, got 15, expected one of [16 24 32]`,
  ],
  [
    'a short key of secretbox',
    of('secrets', `{secretbox: {${keys('a', Buffer.alloc(16).toString('base64'))}}}`),
    `${parsing}${providers}.secretbox.keys[0].secret: Invalid value: "REDACTED": secret is not of the expected length, got 16, expected one of [32]`,
  ],
  [
    'a repeated resource',
    of('secrets, secrets', gcm),
    `${parsing}resources[0].resources: Invalid value: ["secrets","secrets"]: the same resource cannot be specified multiple times`,
  ],
  [
    'a wildcard that includes another item',
    of("'*.apps', deployments.apps", gcm),
    `${parsing}resources[0].resources: Invalid value: ["*.apps","deployments.apps"]: using overlapping resources such as ` +
      "'secrets' and '*.' in the same resource list is not allowed as they will be masked",
  ],
  [
    'capital letters',
    of('Secrets', gcm),
    `${parsing}resources[0].resources[0]: Invalid value: "Secrets": resource name should not contain capital letters`,
  ],
  [
    'a star',
    of("'*'", gcm),
    `${parsing}resources[0].resources[0]: Invalid value: "*": use '*.' to encrypt all the resources from core API group or *.* to encrypt all resources`,
  ],
  [
    'a resource without API',
    of('apiserveripinfo', gcm),
    `${parsing}resources[0].resources[0]: Invalid value: "apiserveripinfo": resources which do not have REST API/s cannot be encrypted`,
  ],
  [
    'events in their other group',
    of('events.events.k8s.io', gcm),
    `${parsing}resources[0].resources[0]: Invalid value: "events.events.k8s.io": '*.events.k8s.io' objects are stored using the 'events' API group in etcd. Use 'events' instead in the config file`,
  ],
  [
    'the removed group',
    of("'*.extensions'", gcm),
    `${parsing}resources[0].resources[0]: Invalid value: "*.extensions": 'extensions' group has been removed and cannot be used for encryption`,
  ],
  [
    'a resource of all groups',
    of("'secrets.*'", gcm),
    `${parsing}resources[0].resources[0]: Invalid value: "secrets.*": encrypting the same resource across groups is not supported`,
  ],
  [
    'a resource behind the wildcard of its group',
    `${head}resources: [{resources: ['*.'], providers: [${gcm}]}, {resources: [secrets], providers: [${gcm}]}]`,
    'error while building transformers: resource "secrets" is masked by earlier rule "*."',
  ],
  [
    'a resource behind the wildcard of all groups',
    `${head}resources: [{resources: ['*.*'], providers: [${gcm}]}, {resources: [a.b.c], providers: [${gcm}]}]`,
    'error while building transformers: resource "a.b.c" is masked by earlier rule "*.*"',
  ],
])('refuses a configuration with %s', async (_what, text, error) => {
  await expect(readTransformers(text)).rejects.toThrow(error);
});

describe('the transformer of a resource', async () => {
  const provider = (name: string) => `{aescbc: {${keys(name, secret)}}}`;
  const transformers = await readTransformers(
    `${head}resources:
- {resources: [events], providers: [identity: {}]}
- {resources: [secrets], providers: [${provider('one')}]}
- {resources: [secrets, pandas.example.com], providers: [${provider('two')}, ${provider('three')}]}
- {resources: ['*.apps'], providers: [secretbox: {${keys('box', secret)}}]}
- {resources: ['*.*'], providers: [${provider('rest')}, identity: {}]}`,
  );
  it.each([
    ['events', '{}'],
    ['secrets', 'k8s:enc:aescbc:v1:one:'],
    ['pandas.example.com', 'k8s:enc:aescbc:v1:two:'],
    ['deployments.apps', 'k8s:enc:secretbox:v1:box:'],
    ['configmaps', 'k8s:enc:aescbc:v1:rest:'],
    ['bears.example.com', 'k8s:enc:aescbc:v1:rest:'],
  ])('%s writes %s', (resource, beginning) => {
    const transformer = transformers(parseGroupResource(resource));
    const stored = Buffer.from(transformer.toStorage(Buffer.from('{}'), '/registry/x'));
    expect(stored.toString('latin1').slice(0, beginning.length)).toBe(beginning);
    expect(Buffer.from(transformer.fromStorage(stored, '/registry/x').value).toString()).toBe('{}');
  });

  it('joins the providers of all items that name it', () => {
    const two = transformers(parseGroupResource('pandas.example.com')).toStorage(Buffer.from('{}'), 'x');
    expect(transformers(parseGroupResource('secrets')).fromStorage(two, 'x')).toMatchObject({ stale: true });
  });

  it('the kind of old documentation is read', async () => {
    const old = of('secrets', gcm).replace(head, 'apiVersion: v1\nkind: EncryptionConfig\n');
    expect(await readTransformers(old)).toBeTypeOf('function');
  });
});

it.each([
  ['/registry/secrets/default/a', 'secrets', ''],
  ['/registry/namespaces/default', 'namespaces', ''],
  ['/registry/deployments/default/a', 'deployments', 'apps'],
  ['/registry/apps/deployments/default/a', 'deployments', 'apps'],
  ['/registry/services/specs/default/a', 'services', ''],
  ['/registry/minions/a', 'nodes', ''],
  ['/registry/roles/default/a', 'roles', 'rbac.authorization.k8s.io'],
  ['/registry/example.com/pandas/default/a', 'pandas', 'example.com'],
])('%s stores %s of group %j', (key, resource, group) => {
  expect(resourceOfKey(key)).toEqual({ group, resource });
});
