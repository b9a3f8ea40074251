import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { apiServiceManifest, createTestCA, externalServiceManifest } from '@annex/testkit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { celName, definition, group, selectable, strict } from './hostile-definitions.ts';
import { discovery, documents, their, theirPath } from './hostile-documents.ts';
import { hostileNames, http2Status, isLabelName, membersOf, printsPrototype, send } from './hostile-names.ts';
import { type HostileServer, startHostileWith } from './hostile-server.ts';
import { valuesOf } from './hostile-values.ts';
import { patienceMs } from './patience.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';
const kinds = `/apis/${group}/v1/namespaces/default`;

let server: HostileServer;
beforeAll(async () => {
  server = await startHostileWith({ env: printsPrototype });
  await server.makeKind(
    definition('freely', 'Freely', { 'x-kubernetes-preserve-unknown-fields': true }),
    `${kinds}/freely`,
  );
  await server.makeKind(definition('strictly', 'Strictly', strict), `${kinds}/strictly`);
});
afterAll(async () => {
  const failures = server.annex.lines().filter((line) => /request failed|TypeError|RangeError/.test(line));
  await server[Symbol.asyncDispose]();
  expect(failures).toEqual([]);
  const names = Object.getOwnPropertyNames(Object.prototype).sort().join(',');
  const printed = server.annex.lines().filter((line) => line.includes('prototype:'));
  expect(printed.length).toBeGreaterThan(0);
  expect(printed.map((line) => line.slice(line.indexOf('prototype:') + 10))).toEqual(
    printed.map(() => names),
  );
});

const object = (kind: string, name: string, spec: unknown) => ({
  apiVersion: `${group}/v1`,
  kind,
  metadata: { name },
  spec,
});

let count = 0;
const fresh = () => `n${++count}`;
const merge = 'application/merge-patch+json';
const apply = 'application/apply-patch+yaml';

describe.each(hostileNames)('the name %s', (name) => {
  it('is stored as a key of data by every kind of write', async () => {
    const at = `${configMaps}/${fresh()}`;
    const metadata = { name: at.split('/').at(-1) };
    const data = membersOf([name], 'a');
    const written = [
      await send(server, ['POST', configMaps], { metadata, data }),
      await send(server, ['PATCH', at], { data: membersOf([name], 'b') }, merge),
      await send(
        server,
        ['PATCH', at],
        { data: membersOf([name], 'c') },
        'application/strategic-merge-patch+json',
      ),
      await send(
        server,
        ['PATCH', at],
        [
          { op: 'test', path: `/data/${name}`, value: 'c' },
          { op: 'replace', path: `/data/${name}`, value: 'd' },
          { op: 'copy', from: `/data/${name}`, path: '/data/copied' },
        ],
        'application/json-patch+json',
      ),
      await send(
        server,
        ['PATCH', `${at}?fieldManager=${name}&force=true`],
        { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: membersOf([name], 'e') },
        apply,
      ),
      await send(
        server,
        ['PUT', at],
        `metadata: {name: ${metadata.name}}\ndata: {${name}: f}\n`,
        'application/yaml',
      ),
      await send(server, ['GET', at]),
    ];
    expect(written.map(({ status }) => status)).toEqual([201, 200, 200, 200, 200, 200, 200]);
    const kept = written.map(({ body }) => Object.entries(body.data as object));
    expect(kept).toEqual([
      [[name, 'a']],
      [[name, 'b']],
      [[name, 'c']],
      [
        [name, 'd'],
        ['copied', 'd'],
      ],
      [
        [name, 'e'],
        ['copied', 'd'],
      ],
      [[name, 'f']],
      [[name, 'f']],
    ]);
    expect(written[4]?.text).toContain(`"f:${name}":{}`);
  });

  it('is a key of a map in protobuf', async () => {
    const id = fresh();
    const field = (number: number, ...bytes: Buffer[]) => {
      const all = Buffer.concat(bytes);
      return Buffer.concat([Buffer.from([(number << 3) | 2, all.length]), all]);
    };
    const meta = field(1, field(1, Buffer.from(id)));
    const data = field(2, field(1, Buffer.from(name)), field(2, Buffer.from('v')));
    const typeMeta = field(1, field(1, Buffer.from('v1')), field(2, Buffer.from('ConfigMap')));
    const magic = Buffer.from('k8s\0');
    const protobuf = 'application/vnd.kubernetes.protobuf';
    const { status } = await server.ask({
      method: 'POST',
      path: configMaps,
      headers: { 'Content-Type': protobuf },
      body: Buffer.concat([magic, typeMeta, field(2, meta, data)]).toString('latin1'),
    });
    expect(status).toBe(201);
    const { body } = await send(server, ['GET', `${configMaps}/${id}`]);
    expect(Object.entries(body.data as object)).toEqual([[name, 'v']]);
    const back = await server.ask({ path: `${configMaps}/${id}`, headers: { Accept: protobuf } });
    expect(back.text).toContain(data.toString('latin1'));
  });

  it('is owned by its manager, and removed when the manager no longer applies it', async () => {
    const at = `${configMaps}/${fresh()}`;
    const config = (data: object) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: at.split('/').at(-1) },
      data,
    });
    await send(server, ['PATCH', `${at}?fieldManager=one`], config(membersOf([name, 'other'], 'a')), apply);
    const conflict = await send(
      server,
      ['PATCH', `${at}?fieldManager=two`],
      config(membersOf([name], 'b')),
      apply,
    );
    expect([conflict.status, conflict.message]).toEqual([
      409,
      `Apply failed with 1 conflict: conflict with "one": .data.${name}`,
    ]);
    const removed = await send(server, ['PATCH', `${at}?fieldManager=one`], config({ other: 'a' }), apply);
    expect(Object.entries(removed.body.data as object)).toEqual([['other', 'a']]);
  });

  it(`is ${isLabelName(name) ? 'an ordinary label' : 'refused as a label'}`, async () => {
    const [labelled, bare] = [fresh(), fresh()];
    const metadata = { name: labelled, labels: membersOf([name], 'v'), annotations: membersOf([name], 'v') };
    const made = await send(server, ['POST', configMaps], { metadata });
    await send(server, ['POST', configMaps], { metadata: { name: bare } });
    const selected = async (selector: string) => {
      const path = `${configMaps}?labelSelector=${encodeURIComponent(selector)}`;
      const { status, body } = await send(server, ['GET', path]);
      const items = (body.items ?? []) as { metadata: { name: string } }[];
      return [
        status,
        ...items.map((item) => item.metadata.name).filter((one) => [labelled, bare].includes(one)),
      ];
    };
    const found = [
      await selected(name),
      await selected(`${name}=v`),
      await selected(`!${name}`),
      await selected(`${name}!=v`),
    ];
    if (isLabelName(name)) {
      expect(made.status).toBe(201);
      expect(found).toEqual([
        [200, labelled],
        [200, labelled],
        [200, bare],
        [200, bare],
      ]);
    } else {
      expect(made.status).toBe(422);
      expect(found).toEqual([[400], [400], [400], [400]]);
    }
  });

  it('is an unknown field of a built-in kind, as any other', async () => {
    const path = `${configMaps}?fieldValidation=Strict`;
    const body = {
      metadata: { name: fresh(), ...membersOf([name], {}) },
      ...membersOf([name], { polluted: 1 }),
    };
    const { status, message } = await send(server, ['POST', path], body);
    expect(status).toBe(400);
    expect(message).toContain(`unknown field "${name}"`);
    expect(message).toContain(`unknown field "metadata.${name}"`);
    const pointer = [{ op: 'add', path: `/${name}/polluted`, value: 1 }];
    const patched = await send(
      server,
      ['PATCH', `/api/v1/namespaces/default`],
      pointer,
      'application/json-patch+json',
    );
    expect(patched.status).toBe(422);
  });

  it('is kept at every depth of a custom resource that keeps unknown fields', async () => {
    const id = fresh();
    const spec = membersOf([name], { deep: [membersOf([name], membersOf([name], 1))] });
    await send(server, ['POST', `${kinds}/freely`], object('Freely', id, spec));
    const patch = { spec: membersOf([name], membersOf([name], membersOf([name], 2))) };
    await send(server, ['PATCH', `${kinds}/freely/${id}`], patch, merge);
    const applied = object('Freely', id, membersOf([name], { applied: membersOf([name], 3) }));
    await send(server, ['PATCH', `${kinds}/freely/${id}?fieldManager=m`], applied, apply);
    const { body } = await send(server, ['GET', `${kinds}/freely/${id}`]);
    const key = JSON.stringify(name);
    const text = JSON.stringify(body.spec);
    expect(text).toContain(`"deep":[{${key}:{${key}:1}}]`);
    expect(text).toContain(`${key}:{${key}:2}`);
    expect(text).toContain(`"applied":{${key}:3}`);
  });

  it('is a property of a schema: validated, pruned, defaulted, printed, selected, and seen by rules', async () => {
    const strictly = `${kinds}/strictly`;
    const create = (spec: unknown) => send(server, ['POST', strictly], object('Strictly', fresh(), spec));
    const ofInvalidType = await create({ ...membersOf([name], 5), numbers: membersOf([name], 'x') });
    expect(ofInvalidType.message).toContain(`spec.${name} in body must be of type string`);
    expect(ofInvalidType.message).toContain(`spec.numbers.${name} in body must be of type integer`);
    const refused = await create({
      ...membersOf([name], 'refused by a rule'),
      numbers: membersOf([name], 100),
    });
    expect(refused.message).toContain(`!has(self.${celName(name)})`);
    expect(refused.message).toContain(`!('${name}' in self)`);
    const item = membersOf(hostileNames, 'a');
    const twice = await create({ items: [item, item] });
    expect(twice.message).toContain('spec.items[1]: Duplicate value');
    const made = await create({
      ...membersOf([name], name),
      numbers: membersOf([name], 1),
      items: [item],
      pruned: { a: 1 },
    });
    const spec = made.body.spec as Record<string, object>;
    expect(Object.keys(spec).sort()).toEqual([name, 'defaulted', 'items', 'numbers'].sort());
    expect(Object.entries(spec.defaulted as object)).toEqual(expect.arrayContaining([[name, 'by default']]));
    const table = await server.ask({
      path: `${strictly}/n${count}`,
      headers: { Accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
    });
    const { columnDefinitions, rows } = JSON.parse(table.text) as {
      columnDefinitions: { name: string }[];
      rows: { cells: unknown[] }[];
    };
    expect(rows[0]?.cells[columnDefinitions.findIndex((column) => column.name === name)]).toBe(name);
    if (!selectable.includes(name)) return;
    const selected = await send(server, ['GET', `${strictly}?fieldSelector=spec.${name}%3D${name}`]);
    expect((selected.body.items as object[]).length).toBe(1);
  });

  it.each(valuesOf(name))('is no value of %s', async (_field, path, body, message) => {
    const response = await send(server, ['POST', path], body);
    expect(response.status).toBe(422);
    expect(response.message).toContain(message);
  });

  it('is found at no path, by no method', async () => {
    const paths = [
      `/${name}`,
      `/api/${name}`,
      `/apis/${name}`,
      `/apis/${name}/v1`,
      `/api/v1/${name}`,
      `${configMaps}/${name}`,
      `${configMaps}/x/${name}`,
      `/openapi/v3/${name}`,
      `/openapi/v3/apis/${name}`,
      `/livez/${name}`,
      `/apis/${group}/${name}`,
      `${kinds}/${name}`,
    ];
    const statuses = await Promise.all(
      paths.map(async (path) => [path, (await server.ask({ path })).status]),
    );
    expect(statuses).toEqual(paths.map((path) => [path, 404]));
    // Another process reads HTTP/1.1, and Node's parser rejects unknown methods.
    expect([400, 405]).toContain(await http2Status(server, name, configMaps));
    expect(await http2Status(server, name, '/healthz')).toBeLessThan(500);
  });

  it('is an ordinary user, group and extra key', async () => {
    const headers = {
      'Content-Type': 'application/json',
      'Impersonate-User': name,
      'Impersonate-Group': name,
      [`Impersonate-Extra-${name}`]: name,
    };
    const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
    const { text } = await server.ask({ method: 'POST', path, headers, body: '{}' });
    const { userInfo } = (
      JSON.parse(text) as { status: { userInfo: { username: string; groups: string[]; extra: object } } }
    ).status;
    expect([userInfo.username, userInfo.groups[0], Object.entries(userInfo.extra)]).toEqual([
      name,
      name,
      [[name.toLowerCase(), [name]]],
    ]);
    const review = await send(server, ['POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews'], {
      spec: {
        user: name,
        groups: [name],
        extra: membersOf([name], [name]),
        resourceAttributes: { verb: name, resource: name, group: name },
      },
    });
    expect([review.status, (review.body.status as { allowed: boolean }).allowed]).toEqual([201, false]);
  });
});

describe('an extension server that names everything so', () => {
  it('is published under these names, and does not affect others', async () => {
    const ca = createTestCA('names-ca');
    const host = 'names.default.svc';
    const { certificate, key } = ca.issue({ commonName: host, dnsNames: [host] });
    const listener = createServer({ cert: certificate, key }, (req, res) => {
      const document = documents.get((req.url ?? '').split('?')[0] ?? '');
      res.writeHead(document === undefined ? 404 : 200, {
        'Content-Type': 'application/json',
        ...membersOf(hostileNames, 'x'),
      });
      res.end(JSON.stringify(document ?? {}));
    });
    listener.listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const { port } = listener.address() as AddressInfo;
    await server.make('POST', '/api/v1/namespaces/default/services', externalServiceManifest('names'));
    await server.make(
      'POST',
      '/apis/apiregistration.k8s.io/v1/apiservices',
      apiServiceManifest({ group: their, service: 'names', port, ca: ca.certificate }),
    );
    const get = async (path: string) => send(server, ['GET', path]);
    await vi.waitUntil(async () => (await get(theirPath)).status === 200, { timeout: patienceMs });
    expect((await get(theirPath)).body).toEqual(discovery);
    await vi.waitUntil(async () => (await get(`/openapi/v3${theirPath}`)).status === 200, {
      timeout: patienceMs,
    });
    const v3 = (await get(`/openapi/v3${theirPath}`)).body as { components: { schemas: object } };
    expect(Object.keys(v3.components.schemas)).toEqual(expect.arrayContaining([...hostileNames]));
    expect((await get('/openapi/v2')).status).toBe(200);
    expect((await get('/apis')).status).toBe(200);
    listener.closeAllConnections();
    listener.close();
  });
});

describe('texts that a parser could go back over are read once:', () => {
  const timeout = (text: string) => ({ as: 'anonymous' as const, path: `/x?timeout=${text}` });
  const post = (path: string, body: object) => ({
    method: 'POST',
    path,
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  const containers = (cpu: string) => [{ name: 'a', image: 'b', resources: { limits: { cpu } } }];
  const pod = (cpu: string) =>
    post('/api/v1/namespaces/default/pods', {
      metadata: { name: 'long' },
      spec: { containers: containers(cpu) },
    });
  const cronJob = (schedule: string) =>
    post('/apis/batch/v1/namespaces/default/cronjobs', {
      metadata: { name: 'long' },
      spec: {
        schedule,
        jobTemplate: {
          spec: { template: { spec: { restartPolicy: 'Never', containers: containers('1') } } },
        },
      },
    });

  it.each([
    ['the timeout of a request without credentials', 400, timeout(`${'111s'.repeat(2000)}x`)],
    ['digits in the timeout of a request', 400, timeout('1'.repeat(8000))],
    ['a quantity', 400, pod(`${'1'.repeat(1_000_000)}!`)],
    ['the interval of a CronJob', 422, cronJob(`@every ${'111s'.repeat(100_000)}x`)],
  ])('%s', async (_, status, request) => {
    expect(await server.ask(request)).toMatchObject({ status });
  });
});
