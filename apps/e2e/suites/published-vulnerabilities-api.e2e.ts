import { createHmac, createPublicKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { apiServiceManifest, definitionManifest, externalServiceManifest } from '@annex/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { expectNoHarm, type HostileServer, startHostile } from './hostile-server.ts';

// Reproduces published vulnerabilities of API servers and their parsers, which docs/reference/attacks.md describes.

let server: HostileServer;
beforeAll(async () => {
  server = await startHostile('--enable-admission-plugins=ServiceAccount');
});
expectNoHarm(() => server);

const core = '/api/v1/namespaces/default';
const rbac = '/apis/rbac.authorization.k8s.io/v1';
const configMaps = `${core}/configmaps`;
const send = (method: string, path: string, type: string, body: string) =>
  server.ask({ method, path, headers: { 'Content-Type': type }, body });
const json = 'application/json';
const post = (path: string, body: object) => send('POST', path, json, JSON.stringify(body));

describe('names and paths', () => {
  it.each(['../../secrets/default/x', '..', '.', 'a/b', 'a%2fb', 'a\0b'])(
    'CVE-2015-5305: an object called %j is refused',
    async (name) => {
      expect((await post(configMaps, { metadata: { name } })).status).toBe(422);
    },
  );

  it('CVE-2019-11247: permissions in a namespace do not apply to cluster-scoped objects', async () => {
    const group = 'cluster.example.com';
    const definition = definitionManifest({ group, kind: 'Planet' });
    definition.spec.scope = 'Cluster';
    await server.makeKind(definition, `/apis/${group}/v1/planets`);
    await server.make('POST', `/apis/${group}/v1/planets`, planet(group));
    await server.make('POST', `${rbac}/namespaces/default/roles`, {
      metadata: { name: 'planets' },
      rules: [{ apiGroups: [group], resources: ['planets'], verbs: ['*'] }],
    });
    await server.make('POST', `${rbac}/namespaces/default/rolebindings`, {
      metadata: { name: 'planets' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'planets' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'eve' }],
    });
    const as = { user: 'eve' };
    const at = (path: string) => server.ask({ as, path: `/apis/${group}/v1/${path}` });
    expect((await at('namespaces/default/planets/earth')).status).toBe(404);
    expect((await at('namespaces/default/planets')).status).toBe(404);
    expect((await at('planets/earth')).status).toBe(403);
  });

  const planet = (group: string) => ({
    apiVersion: `${group}/v1`,
    kind: 'Planet',
    metadata: { name: 'earth' },
  });

  it.each([
    'moons/../planets',
    'moons/%2e%2e/planets',
    'moons%2f..%2fplanets',
    'moons//planets/earth',
    'moons/..%2fplanets%2fearth',
  ])('CVE-2022-3162: the right to one kind of a group does not lead to another by %s', async (path) => {
    const group = 'cluster.example.com';
    await post(`${rbac}/clusterroles`, {
      metadata: { name: 'moons' },
      rules: [{ apiGroups: [group], resources: ['moons', 'moons/*'], verbs: ['*'] }],
    });
    await post(`${rbac}/clusterrolebindings`, {
      metadata: { name: 'moons' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'moons' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'mona' }],
    });
    const { status, text } = await server.ask({ as: { user: 'mona' }, path: `/apis/${group}/v1/${path}` });
    expect([403, 404]).toContain(status);
    expect(text).not.toContain('"earth"');
  });
});

describe('bodies that grow or take long when they are read', () => {
  const anchors = 'abcdefghij'.split('').map((name, i, all) => {
    const one = i === 0 ? 'x' : `*${all[i - 1]}`;
    return `${name}: &${name} [${Array(9).fill(one).join(',')}]`;
  });
  const inConfigMap = (data: string) =>
    `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  ${data}\n`;
  it.each([
    ['CVE-2019-11253: aliases of aliases', `${anchors.join('\n')}\n`],
    ['CVE-2019-11254: colons in a row', inConfigMap(`a: ${'[a:'.repeat(20_000)}`)],
    ['CVE-2021-4235: an alias of itself', 'a: &a [*a]\n'],
    ['CVE-2022-3064: deep flow sequences', inConfigMap(`a: ${'['.repeat(50_000)}`)],
    ['CVE-2022-28948: a tag that is none', '0: [:!00 \xef'],
    [
      'CVE-2026-53550: a merge of thousands of equal aliases',
      `a: &a {${Array.from({ length: 2000 }, (_, i) => `k${i}: 0`).join(', ')}}\nb: {<<: [${Array(2000).fill('*a').join(',')}]}\n`,
    ],
  ])('%s', async (_what, body) => {
    const { status } = await send('POST', configMaps, 'application/yaml', body);
    expect([400, 413, 422]).toContain(status);
  });

  it('CVE-2019-1002100: a JSON patch of more than 10,000 operations', async () => {
    await server.make('POST', configMaps, { metadata: { name: 'patched' }, data: { a: 'b' } });
    const operations = Array(10_001).fill('{"op":"add","path":"/data/a","value":"c"}').join(',');
    const { status } = await send(
      'PATCH',
      `${configMaps}/patched`,
      'application/json-patch+json',
      `[${operations}]`,
    );
    expect(status).toBe(413);
  });

  it.each(['-1', '-9223372036854775808', '9223372036854775808', '1e1', '01', '-'])(
    'CVE-2018-14632: a JSON patch that removes item %s',
    async (index) => {
      await post(`${core}/services`, { metadata: { name: 'ports' }, spec: { ports: [{ port: 1 }] } });
      const patch = `[{"op":"remove","path":"/spec/ports/${index}"}]`;
      const { status } = await send('PATCH', `${core}/services/ports`, 'application/json-patch+json', patch);
      expect([400, 422]).toContain(status);
    },
  );

  const magic = Buffer.from('6b387300', 'hex');
  it.each([
    ['a group that does not end', Buffer.from('0b'.repeat(50_000), 'hex')],
    ['a length of 4 GiB', Buffer.from('12ffffffff0f', 'hex')],
    ['a negative length', Buffer.from('12ffffffffffffffffff01', 'hex')],
    ['a number of eleven bytes', Buffer.from('08' + 'ff'.repeat(11), 'hex')],
    ['a field of number 0', Buffer.from('00', 'hex')],
  ])('CVE-2021-3121, CVE-2023-24535, CVE-2024-24786: protobuf with %s', async (_what, bytes) => {
    const type = 'application/vnd.kubernetes.protobuf';
    const { text } = await server.raw(
      Buffer.concat([
        Buffer.from(
          `POST ${configMaps} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: ${type}\r\nContent-Length: ${magic.length + bytes.length}\r\n\r\n`,
        ),
        magic,
        bytes,
      ]),
    );
    expect(text).toMatch(/^HTTP\/1\.1 4\d\d /);
  });
});

it('CVE-2020-8552: invented paths, verbs and clients create no metrics', async () => {
  const series = async () => {
    const { text } = await server.ask({ path: '/metrics' });
    return text.split('\n').filter((line) => line.startsWith('apiserver_')).length;
  };
  const play = async (round: string) => {
    for (let i = 0; i < 30; i++) {
      const name = `${round}${i}`;
      const headers = { 'User-Agent': name, 'Content-Type': `application/${name}`, Accept: `a/${name}` };
      await server.ask({ path: `/apis/${name}.example/v${name}/${name}/${name}/${name}`, headers });
      await server.ask({ path: `${core}/${name}`, headers });
      await server.ask({ method: 'PATCH', path: `${configMaps}/${name}`, headers, body: '{}' });
      await server.raw(`${name.toUpperCase()} /api HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    }
  };
  await play('first');
  const before = await series();
  await play('second');
  expect(await series()).toBe(before);
});

describe('authorization', () => {
  it.each(['127.0.0.1', '169.254.169.254', '224.0.0.1', '0.0.0.0'])(
    'CVE-2021-25737: an EndpointSlice with the address %s is refused',
    async (address) => {
      const slice = {
        metadata: { generateName: 'slice-' },
        addressType: 'IPv4',
        endpoints: [{ addresses: [address] }],
      };
      expect((await post('/apis/discovery.k8s.io/v1/namespaces/default/endpointslices', slice)).status).toBe(
        422,
      );
    },
  );

  it('CVE-2021-25740: the roles edit and admin may not write Endpoints and EndpointSlices', async () => {
    for (const role of ['edit', 'admin']) {
      const { text } = await server.ask({ path: `${rbac}/clusterroles/system:aggregate-to-${role}` });
      const { rules } = JSON.parse(text) as { rules: { resources?: string[]; verbs: string[] }[] };
      const writing = rules.filter(({ verbs }) =>
        verbs.some((verb) => verb !== 'get' && verb !== 'list' && verb !== 'watch'),
      );
      expect(
        writing.flatMap(({ resources }) => resources ?? []).filter((name) => /^endpoint/.test(name)),
      ).toEqual([]);
    }
  });

  it.each([
    ['CVE-2023-2728: in an ephemeral container', 'ephemeral'],
    ['CVE-2024-3177: by envFrom', 'envFrom'],
  ])('%s, a service account can read its own secrets only', async (_what, where) => {
    await post(`${core}/serviceaccounts`, {
      metadata: { name: 'frugal', annotations: { 'kubernetes.io/enforce-mountable-secrets': 'true' } },
    });
    const from = { envFrom: [{ secretRef: { name: 'others' } }] };
    const container = { name: 'a', image: 'a', ...(where === 'envFrom' ? from : {}) };
    const pod = {
      metadata: { name: `pod-${where.toLowerCase()}` },
      spec: { serviceAccountName: 'frugal', containers: [container] },
    };
    const created = await post(`${core}/pods`, pod);
    if (where === 'envFrom') {
      expect(created.status).toBe(403);
      return expect(created.text).toContain('does not reference that secret');
    }
    expect(created.status).toBe(201);
    const path = `${core}/pods/${pod.metadata.name}/ephemeralcontainers`;
    const ephemeral = { spec: { ephemeralContainers: [{ name: 'e', image: 'e', ...from }] } };
    const patched = await send(
      'PATCH',
      path,
      'application/strategic-merge-patch+json',
      JSON.stringify(ephemeral),
    );
    // kube-apiserver returns no specific status for this rejection, so it is 500.
    expect(patched.status).toBe(500);
    expect(patched.text).toContain('does not reference that secret');
    expect((await server.ask({ path: `${core}/pods/${pod.metadata.name}` })).text).not.toContain('others');
  });
});

describe('tokens', () => {
  const segment = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const publicKey = () => readFileSync(join(server.annex.pki, 'sa.pub'), 'utf8');
  const claims = {
    iss: 'https://kubernetes.default.svc',
    sub: 'system:serviceaccount:kube-system:admin',
    aud: ['https://kubernetes.default.svc'],
    exp: 4_000_000_000,
    'kubernetes.io': { namespace: 'kube-system', serviceaccount: { name: 'admin', uid: 'u' } },
  };
  const unsigned = (alg: string, more: object = {}) =>
    `${segment({ alg, typ: 'JWT', ...more })}.${segment(claims)}`;
  const signedWith = (secret: string) => {
    const text = unsigned('HS256');
    return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
  };
  it.each<[string, () => string]>([
    ['CVE-2025-30204: of dots', () => '.'.repeat(50_000)],
    ['CVE-2015-9235: without a signature', () => `${unsigned('none')}.`],
    ['CVE-2015-9235: without a signature, in other letters', () => `${unsigned('nOnE')}.`],
    ['CVE-2016-10555: signed with the public key as a secret', () => signedWith(publicKey())],
    [
      'CVE-2016-10555: signed with the public key as DER',
      () =>
        signedWith(createPublicKey(publicKey()).export({ type: 'spki', format: 'der' }).toString('latin1')),
    ],
    [
      'CVE-2022-21449: with a signature of zeros',
      () => `${unsigned('ES256')}.${Buffer.alloc(64).toString('base64url')}`,
    ],
    [
      'CVE-2018-0114: with an embedded key',
      () => `${unsigned('RS256', { jwk: createPublicKey(publicKey()).export({ format: 'jwk' }) })}.AAAA`,
    ],
    [
      'CVE-2024-28176, CVE-2024-28180: that is encrypted and compressed',
      () =>
        `${segment({ alg: 'dir', enc: 'A128GCM', zip: 'DEF' })}..${'A'.repeat(16)}.${'A'.repeat(40_000)}.${'A'.repeat(22)}`,
    ],
    [
      'CVE-2026-34986: that is encrypted, with an empty key',
      () => `${segment({ alg: 'A128KW', enc: 'A128GCM' })}....`,
    ],
  ])('%s', async (_what, token) => {
    const { statuses } = await server.raw(
      `GET /api HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer ${token()}\r\n\r\n`,
      { as: server.credential('') },
    );
    expect([[401], [431]]).toContainEqual(statuses);
  });

  it('CVE-2019-11250, CVE-2020-8565: a token is in no line of the most talkative log', async () => {
    const token = `${unsigned('RS256')}.c2VjcmV0LXNpZ25hdHVyZQ`;
    server.secrets.add('c2VjcmV0LXNpZ25hdHVyZQ');
    await server.ask({ as: { token }, path: '/api' });
    await server.ask({ path: `/api?token=${token}`, headers: { Authorization: `bearer  ${token}` } });
    expect(server.leaks()).toEqual([]);
  });
});

describe('certificates that are stored', () => {
  const pem = (der: Buffer) =>
    `-----BEGIN CERTIFICATE-----\n${der.toString('base64')}\n-----END CERTIFICATE-----\n`;
  const nested = (depth: number) => Buffer.from('3080'.repeat(depth) + '0000'.repeat(depth), 'hex');
  /** Returns a certificate whose public key is not on its curve. */
  const brokenKey = () => {
    const text = readFileSync(join(server.annex.pki, 'ca.crt'), 'utf8').replace(/-----[^-]+-----|\s/g, '');
    const der = Buffer.from(text, 'base64');
    const at = der.indexOf(Buffer.from('2a864886f70d010101', 'hex'));
    if (at >= 0) der.fill(0xff, at + 12, at + 40);
    return der;
  };
  it.each<[string, () => string]>([
    ['CVE-2022-24675: beginnings without an end', () => '-----BEGIN CERTIFICATE-----\n'.repeat(30_000)],
    ['CVE-2025-61723: dashes that begin nothing', () => `-----BEGIN ${'-'.repeat(800_000)}`],
    ['CVE-2023-30588: a public key that is none', () => pem(brokenKey())],
    ['CVE-2025-58185: lengths of gigabytes', () => pem(Buffer.from('3084ffffffff3084ffffffff', 'hex'))],
    ['CVE-2026-33818, CVE-2025-66031: sequences in sequences', () => pem(nested(50_000))],
  ])('%s', async (what, text) => {
    const group = `${what.slice(0, 14).toLowerCase()}.example`;
    await post(`${core}/services`, externalServiceManifest('nobody'));
    const registered = await post(
      '/apis/apiregistration.k8s.io/v1/apiservices',
      apiServiceManifest({ group, service: 'nobody', port: 1, ca: text() }),
    );
    expect([201, 400, 413, 422]).toContain(registered.status);
    const request = {
      metadata: { name: group },
      spec: {
        request: Buffer.from(text().replaceAll('CERTIFICATE', 'CERTIFICATE REQUEST')).toString('base64'),
        signerName: 'a.example/b',
        usages: ['client auth'],
      },
    };
    const requested = await post('/apis/certificates.k8s.io/v1/certificatesigningrequests', request);
    expect([400, 413, 422]).toContain(requested.status);
  });
});
