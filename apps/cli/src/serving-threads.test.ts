import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:https';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { finished } from 'node:stream/promises';
import { connect, type TLSSocket } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { Client, loadKubeconfig } from '@annex/client';
import type { KubeObject } from '@annex/machinery';
import type { TraceView } from '@annex/server';
import { freePort, tempFolder } from '@annex/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { post } from './replicas.fixture.ts';
import { type RunningAnnex, runAnnex } from './running-annex.fixture.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';
const numbers = (count: number) => Array.from({ length: count }, (_, i) => i);
/** Connections of the test: the system gives all of them to one thread once in 4,000 runs. */
const connections = 13;

const folder = tempFolder();
const auditLog = join(folder.path, 'audit.log');
let annex: RunningAnnex;
let clients: Client[];

beforeAll(async () => {
  const policy = join(folder.path, 'policy.yaml');
  writeFileSync(policy, 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: RequestResponse}]\n');
  annex = await runAnnex(
    '--ephemeral',
    '--serving-threads=2',
    `--audit-policy-file=${policy}`,
    `--audit-log-path=${auditLog}`,
    '--audit-log-maxsize=1',
  );
  const kubeconfig = await loadKubeconfig(annex.kubeconfig);
  clients = numbers(connections).map(() => new Client(kubeconfig));
}, 60_000);
afterAll(async () => {
  for (const client of clients) client.close();
  await annex.stop();
  folder[Symbol.dispose]();
});

const list = async (client: Client, path: string) =>
  (await client.json<{ items: KubeObject[] }>({ path })).items;
/** Calls with each client at the same time. */
const withEach = <T>(call: (client: Client, i: number) => Promise<T>): Promise<T[]> =>
  Promise.all(clients.map(call));
const textOf = async (client: Client, path: string) => (await client.send({ path })).body.toString();

describe('two serving threads', () => {
  it('read what any of them acknowledged', async () => {
    for (const [i, writer] of clients.entries()) {
      const { metadata } = await post(writer, configMaps, { metadata: { name: `fresh-${i}` } });
      const read = await withEach((client) => client.json<KubeObject>({ path: `${configMaps}/fresh-${i}` }));
      expect(new Set(read.map((one) => one.metadata.resourceVersion))).toEqual(
        new Set([metadata.resourceVersion]),
      );
    }
    const lists = await withEach((client) => list(client, configMaps));
    expect(lists.map((one) => one.length)).toEqual(clients.map(() => connections));
  });

  it('give different node ports to Services that are created at the same time', async () => {
    const spec = { type: 'NodePort', ports: [{ port: 80 }] };
    const created = await withEach((client, i) =>
      post(client, '/api/v1/namespaces/default/services', { metadata: { name: `any-${i}` }, spec }),
    );
    const ports = created.map((one) => (one.spec as { ports: { nodePort: number }[] }).ports[0]!.nodePort);
    expect(new Set(ports).size).toBe(connections);
  });

  it('know rights and policies as soon as they are acknowledged', async () => {
    const path = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings';
    for (const [i, writer] of clients.entries()) {
      const user = `user-${i}`;
      await post(writer, path, {
        metadata: { name: user },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
        subjects: [{ kind: 'User', name: user, apiGroup: 'rbac.authorization.k8s.io' }],
      });
      const statuses = await withEach(
        async (client) =>
          (await client.send({ path: configMaps, headers: { 'impersonate-user': user } })).status,
      );
      expect(statuses).toEqual(clients.map(() => 200));
    }
  });

  it('serve a definition, and a change of it, as soon as it is acknowledged', async () => {
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    for (const [i, writer] of clients.slice(0, 4).entries()) {
      const plural = `things${i}`;
      await post(writer, path, definitionOf(plural, { type: 'string' }));
      const stored = `${path}/${plural}.example.com`;
      await expect.poll(async () => isEstablished(await writer.json({ path: stored }))).toBe(true);
      const things = `/apis/example.com/v1/namespaces/default/${plural}`;
      const create = (client: Client, name: string) =>
        client.send({ method: 'POST', path: things, body: thing(plural, name) });
      const used = await withEach(async (client, n) => (await create(client, `a-${n}`)).status);
      expect(used).toEqual(clients.map(() => 201));
      await writer.json({
        method: 'PATCH',
        path: stored,
        body: { spec: definitionOf(plural, { type: 'integer' }).spec },
        headers: { 'content-type': 'application/merge-patch+json' },
      });
      const refused = await withEach(async (client, n) => (await create(client, `b-${n}`)).status);
      expect(refused).toEqual(clients.map(() => 422));
    }
  });

  it('serve the pages of a list from one snapshot, whichever of them is asked', async () => {
    const path = '/api/v1/namespaces/kube-public/configmaps';
    const expected = numbers(40).map((i) => `page-${String(i).padStart(2, '0')}`);
    for (const name of expected) await post(clients[0]!, path, { metadata: { name } });
    const names: string[] = [];
    let next = '';
    for (const [i, client] of clients.entries()) {
      const page = await client.json<{ items: KubeObject[]; metadata: { continue?: string } }>({
        path: `${path}?limit=4${next && `&continue=${next}`}`,
      });
      names.push(...page.items.map(({ metadata }) => metadata.name!));
      next = page.metadata.continue ?? '';
      if (next === '') break;
      await post(clients[(i + 5) % connections]!, path, { metadata: { name: `page-${i}x` } });
      await client.json({ method: 'DELETE', path: `${path}/${expected.at(-1 - i)}` });
    }
    expect(names).toEqual(expected);
  });

  it('send each event to the watches of all of them', async () => {
    const [{ resourceVersion }] = [(await clients[0]!.json<KubeObject>({ path: configMaps })).metadata];
    const ending = new AbortController();
    const path = `${configMaps}?watch=true&resourceVersion=${resourceVersion}`;
    const watches = withEach(async (client) => {
      const names: string[] = [];
      for await (const chunk of await client.open({ path, signal: ending.signal })) {
        const lines = String(chunk).split('\n').filter(Boolean);
        names.push(
          ...lines.map((line) => (JSON.parse(line) as { object: KubeObject }).object.metadata.name!),
        );
        if (names.length >= connections) break;
      }
      return names;
    });
    for (const [i, client] of clients.entries())
      await post(client, configMaps, { metadata: { name: `watched-${i}` } });
    const expected = numbers(connections).map((i) => `watched-${i}`);
    expect(await watches).toEqual(clients.map(() => expected));
    ending.abort();
  });

  it('report the metrics of the process', async () => {
    const before = await requestsFor('secrets');
    await withEach((client) => list(client, '/api/v1/secrets'));
    expect((await requestsFor('secrets')) - before).toBe(connections);
    const start = /^process_start_time_seconds (\S+)/m;
    const texts = await withEach((client) => textOf(client, '/metrics'));
    expect(new Set(texts.map((text) => start.exec(text)?.[1])).size).toBe(1);
  });

  it('find the traces of all of them', async () => {
    const ids = numbers(connections).map((i) => `trace-of-${i}`);
    const since = Date.now();
    await withEach((client, i) => client.json({ path: configMaps, headers: { 'audit-id': ids[i]! } }));
    for (const client of clients) {
      const { traces } = await client.json<{ traces: TraceView[] }>({ path: `/annex/traces?since=${since}` });
      const found = traces.map(({ auditID }) => auditID).filter((id) => ids.includes(id));
      expect(found.toSorted()).toEqual(ids.toSorted());
    }
    const [first] = ids;
    const single = await withEach((client) =>
      client.json<{ traces: TraceView[] }>({ path: `/annex/traces/${first}` }),
    );
    expect(single.map(({ traces }) => traces.map((one) => one.auditID))).toEqual(clients.map(() => [first]));
  });

  it('follow the traces of all of them', async () => {
    const ending = new AbortController();
    const following = await clients[0]!.open({ path: '/annex/traces?watch=true', signal: ending.signal });
    const expected = numbers(connections).map((i) => `/version?by=${i}`);
    let received = '';
    const reading = (async () => {
      for await (const chunk of following) {
        received += String(chunk);
        if (expected.every((url) => received.includes(`"${url}"`))) return;
      }
    })();
    // The other threads begin to send traces when they get the request for them.
    await expect
      .poll(
        async () => {
          await withEach((client, i) => client.send({ path: `/version?by=${i}` }));
          return expected.filter((url) => !received.includes(`"${url}"`));
        },
        { timeout: 10_000 },
      )
      .toEqual([]);
    await reading;
    ending.abort();
  });

  it('write whole lines to one audit log, which is rotated', async () => {
    const data = { text: 'x'.repeat(20_000) };
    const ids = numbers(10).flatMap((round) => numbers(connections).map((i) => `audited-${round}-${i}`));
    for (const round of numbers(10)) {
      await withEach((client, i) =>
        client.json({
          method: 'POST',
          path: configMaps,
          body: { metadata: { name: `audited-${round}-${i}` }, data },
          headers: { 'audit-id': `audited-${round}-${i}` },
        }),
      );
    }
    // The last events are written when their responses are sent.
    await expect.poll(() => auditedIds().filter((id) => ids.includes(id)).length).toBe(ids.length);
    expect(
      auditedIds()
        .filter((id) => ids.includes(id))
        .toSorted(),
    ).toEqual(ids.toSorted());
    expect(auditLogs().length).toBeGreaterThan(3);
  });

  it('resume the TLS sessions of each other', async () => {
    const { hostname, port } = new URL(annex.url);
    const open = async (session?: Buffer) => {
      const options = {
        host: hostname,
        port: Number(port),
        rejectUnauthorized: false,
        ALPNProtocols: ['http/1.1'],
      };
      const socket = connect({ ...options, ...(session ? { session } : {}) });
      await once(socket, 'secureConnect');
      return socket;
    };
    const first = await open();
    const [session] = (await once(first, 'session')) as [Buffer];
    const others: TLSSocket[] = [];
    for (const _ of numbers(connections)) others.push(await open(session));
    expect(others.map((socket) => socket.isSessionReused())).toEqual(others.map(() => true));
    for (const socket of [first, ...others]) socket.destroy();
  });

  it('refuse a port that another process uses', async () => {
    const { port } = new URL(annex.url);
    await expect(runAnnex('--ephemeral', '--serving-threads=2', '--port', port)).rejects.toMatchObject({
      code: 'PORT_IN_USE',
    });
  });

  it('end with the process when one of them fails', async () => {
    const failing = join(folder.path, 'failing.cjs');
    writeFileSync(failing, failWhenFileExists);
    const annexCommand = fileURLToPath(new URL('../bin/annex.js', import.meta.url));
    const data = join(folder.path, 'failing');
    const options = ['--data-dir', data, '--ephemeral', '--port=0', '--controllers=', '--serving-threads=2'];
    const child = spawn(process.execPath, [annexCommand, 'up', ...options], {
      env: { ...process.env, NODE_OPTIONS: `--require=${failing}`, FAIL_WHEN: join(folder.path, 'fail') },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const exit = once(child, 'exit');
    const errorsPrinted = text(child.stderr);
    const [out] = (await once(child.stdout, 'data')) as [Buffer];
    expect(out.toString()).toMatch(/^annex is ready/);
    writeFileSync(join(folder.path, 'fail'), '');
    const errors = await errorsPrinted;
    expect(errors).toContain('serving thread 1 failed: Error: out of order');
    expect(await exit).toEqual([1, null]);
  }, 60_000);

  it('end the watches of all of them when they stop', async () => {
    const ended = withEach(async (client) => {
      const watch = await client.open({ path: `${configMaps}?watch=true&resourceVersion=0` });
      opened();
      // HTTP/1.1 watches end with their connections.
      await finished(watch.resume()).catch(() => undefined);
    });
    await allOpened;
    await annex.stop();
    await ended;
  });
});

/** A definition with one field. */
const definitionOf = (plural: string, field: object) => ({
  metadata: { name: `${plural}.example.com` },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural, kind: plural },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', properties: { field } } },
      },
    ],
  },
});

const thing = (kind: string, name: string) => ({
  apiVersion: 'example.com/v1',
  kind,
  metadata: { name },
  field: 'text',
});

const isEstablished = ({ status }: { status?: { conditions?: { type: string; status: string }[] } }) =>
  status?.conditions?.some((one) => one.type === 'Established' && one.status === 'True') ?? false;

let missing = connections;
const { promise: allOpened, resolve: resolveOpened } = Promise.withResolvers<void>();
const opened = () => {
  if (--missing === 0) resolveOpened();
};

/** Makes the second thread throw soon after it has got its first message, which is the one to start. */
const failWhenFileExists = `
  const { existsSync } = require('node:fs');
  const { isMainThread, workerData } = require('node:worker_threads');
  if (!isMainThread && workerData?.index === 1)
    setInterval(() => {
      if (existsSync(process.env.FAIL_WHEN)) throw new Error('out of order');
    }, 20);
`;

const auditLogs = () => readdirSync(folder.path).filter((name) => name.startsWith('audit'));

/** The audit IDs of the requests that all logs have as complete. Throws on a torn line. */
function auditedIds(): string[] {
  const texts = auditLogs().map((name) => readFileSync(join(folder.path, name), 'utf8'));
  const lines = texts.flatMap((text) => text.split('\n').filter(Boolean));
  const events = lines.map((line) => JSON.parse(line) as { auditID: string; stage: string });
  return events.filter(({ stage }) => stage === 'ResponseComplete').map((one) => one.auditID);
}

/** The number of requests for a resource, as any thread reports it. */
async function requestsFor(resource: string): Promise<number> {
  const text = await textOf(clients[0]!, '/metrics');
  const lines = text.split('\n').filter((line) => line.startsWith('apiserver_request_total{'));
  const ours = lines.filter((line) => line.includes(`resource="${resource}"`));
  return ours.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

/** Resolves to the status of `/readyz` on a new connection; `undefined` if nothing listens. */
async function readiness(port: number): Promise<number | undefined> {
  const { promise, resolve } = Promise.withResolvers<number | undefined>();
  const options = { port, path: '/readyz', agent: false, rejectUnauthorized: false };
  request(options, (response) => {
    response.resume();
    resolve(response.statusCode);
  })
    .on('error', () => resolve(undefined))
    .end();
  return await promise;
}

it('threads serve each connection after the first one that is served', async () => {
  const port = await freePort();
  let isStarted = false;
  const starting = runAnnex('--ephemeral', '--serving-threads=3', `--port=${port}`).finally(() => {
    isStarted = true;
  });
  const rounds: (number | undefined)[][] = [];
  for (let after = 0; after < 5; after += isStarted ? 1 : 0)
    rounds.push(await Promise.all([0, 1, 2, 3, 4, 5].map(() => readiness(port))));
  await (await starting).stop();
  // Connections of one round are at the same time: that of the first response may be later than others.
  const served = rounds.slice(rounds.findIndex((statuses) => statuses.includes(200)) + 1).flat();
  expect(served.length).toBeGreaterThanOrEqual(20);
  expect(new Set(served)).toEqual(new Set([200]));
}, 60_000);
