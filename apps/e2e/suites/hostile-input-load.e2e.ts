import { once } from 'node:events';
import { connect, constants } from 'node:http2';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type HostileServer, startHostile } from './hostile-server.ts';
import { patienceMs } from './patience.ts';
import { openConnection } from './raw-connection.ts';

let server: HostileServer;
beforeAll(async () => {
  server = await startHostile();
});
afterAll(async () => {
  const leaks = server.leaks();
  await server[Symbol.asyncDispose]();
  expect(leaks).toEqual([]);
});

const configMaps = '/api/v1/namespaces/default/configmaps';
const json = { 'Content-Type': 'application/json' };

/** Resolves to the value of a series in the server's metrics; 0 without it. */
async function metric(series: string): Promise<number> {
  const { text } = await server.ask({ path: '/metrics' });
  const line = text.split('\n').find((each) => each.startsWith(`${series} `));
  return Number(line?.split(' ')[1] ?? 0);
}

/** Resolves to the number of open watches of ConfigMaps. */
const openWatches = (): Promise<number> =>
  metric('apiserver_longrunning_requests{group="",resource="configmaps",verb="WATCH",version="v1"}');

/** Resolves to the number of requests of the administrator that are running, including that for the metrics. */
const running = (): Promise<number> =>
  metric('apiserver_flowcontrol_current_executing_requests{flow_schema="exempt",priority_level="exempt"}');

const http2 = () => {
  const { certificate: cert, key } = server.admin;
  return connect(server.annex.url, { cert, key, rejectUnauthorized: false });
};

const write = async (name: string, content: string) => {
  const body = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { content } });
  const { status, text } = await server.ask({
    method: 'PUT',
    path: `${configMaps}/${name}`,
    headers: json,
    body,
  });
  if (status !== 200) throw new Error(`${status} ${text.slice(0, 300)}`);
};

it('a thousand watches leave nothing behind', async () => {
  const session = http2();
  const watches = Array.from({ length: 1000 }, () => session.request({ ':path': `${configMaps}?watch=1` }));
  await Promise.all(watches.map((watch) => once(watch, 'response')));
  expect(await openWatches()).toBe(1000);
  for (const [i, watch] of watches.entries()) {
    // Half of the watches are closed, the others end with their connection.
    if (i % 2 === 0) watch.on('error', () => undefined).close(constants.NGHTTP2_CANCEL);
    else watch.on('error', () => undefined);
  }
  session.on('error', () => undefined).destroy();
  await vi.waitUntil(async () => (await openWatches()) === 0, { timeout: patienceMs });
});

it('clients that do not read are disconnected, and do not affect others', async () => {
  await server.make('POST', configMaps, { metadata: { name: 'busy' } });
  const lazy = openConnection(server.annex.url, { as: server.admin });
  await once(lazy, 'secureConnect');
  lazy.on('error', () => undefined);
  lazy.write(`GET ${configMaps}?watch=1&resourceVersion=0 HTTP/1.1\r\nHost: annex\r\n\r\n`);
  await once(lazy, 'data');
  lazy.pause();

  const session = http2();
  const diligent = session.request({ ':path': `${configMaps}?watch=1&resourceVersion=0` });
  let seen = '';
  diligent.setEncoding('utf8').on('data', (chunk: string) => (seen += chunk.replace(/x{9,}/g, 'x')));
  await once(diligent, 'response');
  expect(await openWatches()).toBe(2);

  const rounds = 45;
  for (let i = 1; i <= rounds; i++) {
    await write('busy', `${'x'.repeat(800_000)} round ${i}.`);
    // A client that is only slow must not be disconnected.
    await vi.waitUntil(() => seen.includes(`round ${i}.`), { timeout: patienceMs });
  }
  await vi.waitUntil(async () => (await openWatches()) === 1, { timeout: patienceMs });
  const numbers = [...seen.matchAll(/round (\d+)\./g)].map(([, number]) => Number(number));
  expect(numbers).toEqual(Array.from({ length: rounds }, (_, i) => i + 1));
  lazy.destroy();
  session.destroy();
});

it('clients that never read a list or the documentation use little memory, and do not affect others', async () => {
  for (let i = 0; i < 30; i++) {
    await server.make('POST', configMaps, {
      metadata: { name: `large-${i}` },
      data: { a: 'x'.repeat(500_000) },
    });
  }
  const before = await server.residentMiB();
  const paths = [configMaps, '/openapi/v2', '/openapi/v3/api/v1'];
  const lazy = await Promise.all(
    Array.from({ length: 30 }, async (_, i) => {
      const socket = openConnection(server.annex.url, { as: server.admin });
      await once(socket, 'secureConnect');
      socket.on('error', () => undefined);
      socket.write(`GET ${paths[i % paths.length]} HTTP/1.1\r\nHost: annex\r\n\r\n`);
      await once(socket, 'data');
      return socket.pause();
    }),
  );
  const session = http2();
  const streams = Array.from({ length: 30 }, () => session.request({ ':path': configMaps }).pause());
  await Promise.all(streams.map((stream) => once(stream, 'response')));
  for (let i = 0; i < 20; i++) await write('busy', `still ${i}`);
  const { text } = await server.ask({ path: configMaps });
  const { items } = JSON.parse(text) as { items: { metadata: { name: string } }[] };
  expect(items.filter(({ metadata }) => metadata.name.startsWith('large-'))).toHaveLength(30);
  // A list of 15 MB for each of fifty clients would need 750 MB.
  expect((await server.residentMiB()) - before).toBeLessThan(400);
  for (const socket of lazy) socket.destroy();
  session.on('error', () => undefined).destroy();
  expect((await server.ask({ method: 'DELETE', path: configMaps })).status).toBe(200);
});

const threads = Number(process.env.ANNEX_SERVING_THREADS ?? 1);

/** The seats of a level that has three of 600: each serving thread has its part of them, rounded up. */
const seats = threads * Math.ceil(3 / threads);

/** Requests that would take more seats than there are, whichever thread the system gives them to. */
const slowRequests = 8 * seats;

it('a user with all seats of a level is refused, and does not affect others', async () => {
  const group = '/apis/flowcontrol.apiserver.k8s.io/v1';
  const rules = [
    {
      subjects: [{ kind: 'User', user: { name: 'greedy' } }],
      resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'] }],
    },
  ];
  // It borrows no seats.
  const limited = {
    nominalConcurrencyShares: 1,
    borrowingLimitPercent: 0,
    limitResponse: { type: 'Reject' },
  };
  await server.make('POST', `${group}/prioritylevelconfigurations`, {
    metadata: { name: 'small' },
    spec: { type: 'Limited', limited },
  });
  const { metadata } = (await server.make('POST', `${group}/flowschemas`, {
    metadata: { name: 'greedy' },
    spec: { priorityLevelConfiguration: { name: 'small' }, matchingPrecedence: 10, rules },
  })) as unknown as { metadata: { uid: string } };
  await server.make('POST', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
    metadata: { name: 'greedy' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'greedy' }],
  });
  const greedy = { 'Impersonate-User': 'greedy' };
  const list = () => server.ask({ path: configMaps, headers: greedy });
  const schemaOf = async () => (await list()).headers['x-kubernetes-pf-flowschema-uid'];
  await vi.waitUntil(async () => (await schemaOf()) === metadata.uid, { timeout: patienceMs });

  const head = Object.entries({ ...greedy, ...json, Host: 'annex', 'Content-Length': 1000 });
  let refusals = 0;
  const slow = Array.from({ length: slowRequests }, () => {
    const connection = openConnection(server.annex.url, { as: server.admin });
    connection.on('error', () => undefined);
    connection.once('data', (response: Buffer) => {
      if (response.includes(' 429 ')) refusals++;
    });
    connection.write(
      `POST ${configMaps} HTTP/1.1\r\n${head.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n{`,
    );
    return connection;
  });
  // The requests that were not refused have all seats.
  await vi.waitUntil(() => refusals === slowRequests - seats, { timeout: patienceMs });
  const refused = await list();
  expect(refused.status).toBe(429);
  expect(refused.headers['retry-after']).toMatch(/^[0-9]+$/);
  expect(await server.ask({ path: configMaps })).toMatchObject({ status: 200 });
  slow.forEach((connection) => connection.destroy());
  await vi.waitUntil(async () => (await list()).status === 200, { timeout: patienceMs });
});

it('the server is unaffected', async () => {
  expect(await server.ask({ path: '/readyz' })).toMatchObject({ status: 200, text: 'ok' });
  // Data for closed connections is not kept.
  expect(await server.residentMiB()).toBeLessThan(900);
});

/** A search of all matches takes as many steps as the square of the length: minutes for the text below. */
const slowRule = (field: string) => `${field}.findAll("a[^b]*b|a").size() > 0`;

it('rules and policies are not evaluated any longer when the client has left, or has its 504', async () => {
  const group = 'slow.example';
  const field = { type: 'string', maxLength: 1_000_000 };
  await server.make('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    metadata: { name: `texts.${group}` },
    spec: {
      group,
      scope: 'Cluster',
      names: { plural: 'texts', kind: 'Text' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: {
                ruled: { ...field, 'x-kubernetes-validations': [{ rule: slowRule('self') }] },
                policed: field,
              },
            },
          },
        },
      ],
    },
  });
  const admission = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolic';
  await server.make('POST', `${admission}ies`, {
    metadata: { name: 'slow' },
    spec: {
      matchConstraints: {
        resourceRules: [{ apiGroups: [group], apiVersions: ['*'], operations: ['*'], resources: ['texts'] }],
      },
      validations: [{ expression: `!has(object.policed) || ${slowRule('object.policed')}` }],
    },
  });
  await server.make('POST', `${admission}ybindings`, {
    metadata: { name: 'slow' },
    spec: { policyName: 'slow', validationActions: ['Deny'] },
  });
  const texts = `/apis/${group}/v1/texts`;
  await vi.waitUntil(async () => (await server.ask({ path: texts })).status === 200, { timeout: patienceMs });
  const before = await running();
  for (const name of ['ruled', 'policed']) {
    const text = { apiVersion: `${group}/v1`, kind: 'Text', metadata: { name } };
    const body = JSON.stringify({ ...text, [name]: 'a'.repeat(300_000) });
    const path = `${texts}?timeout=1s`;
    expect((await server.ask({ method: 'POST', path, headers: json, body })).status).toBe(504);
    const session = http2();
    const request = session.request({
      ':method': 'POST',
      ':path': texts,
      'content-type': 'application/json',
    });
    request.on('error', () => undefined).end(body);
    await vi.waitUntil(async () => (await running()) > before, { timeout: patienceMs });
    session.on('error', () => undefined).destroy();
    await vi.waitUntil(async () => (await running()) <= before, { timeout: patienceMs });
  }
  const { items } = JSON.parse((await server.ask({ path: texts })).text) as { items: unknown[] };
  expect(items).toEqual([]);
});
