import { once } from 'node:events';
import { connect } from 'node:http2';
import { setTimeout } from 'node:timers/promises';
import { Client, loadKubeconfig } from '@annex/client';
import type { KubeObject } from '@annex/machinery';
import { loadTestCA, startProcess } from '@annex/testkit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Runner } from '../runners/runner.ts';
import { startSingle } from '../runners/single-runner.ts';
import { patienceMs } from './patience.ts';
import { annexCommand } from '../runners/annex-command.ts';

let annex: Runner;
let client: Client;
let anonymous: Client;
beforeAll(async () => {
  annex = await startSingle({ controllers: '*', args: ['--log-format=json', '--log-level=info'] });
  const config = await loadKubeconfig(annex.kubeconfig);
  client = new Client(config);
  anonymous = new Client({ server: config.server, ...(config.ca ? { ca: config.ca } : {}) });
});
afterAll(async () => {
  client.close();
  anonymous.close();
  await annex.stop();
});

const configMaps = '/api/v1/namespaces/default/configmaps';
const text = async (path: string, as = client) => {
  const { status, headers, body } = await as.send({ path });
  return { status, type: headers['content-type'], text: body.toString() };
};

describe('health', () => {
  it.each(['/livez', '/readyz', '/healthz'])(
    '%s is served to all clients, and lists its checks',
    async (path) => {
      expect(await text(path, anonymous)).toMatchObject({ status: 200, text: 'ok' });
      const verbose = await text(`${path}?verbose`, anonymous);
      expect(verbose.text).toContain('[+]etcd ok\n');
      expect(verbose.text).toContain('[+]poststarthook/rbac/bootstrap-roles ok\n');
      expect(verbose.text).toMatch(new RegExp(`\n${path.slice(1)} check passed\n$`));
      expect((await text(`${path}/etcd`)).text).toBe('ok');
      expect((await text(`${path}/etcd`, anonymous)).status).toBe(403);
      expect((await text(`${path}/poststarthook/rbac/bootstrap-roles`)).text).toBe('ok');
      expect((await text(`${path}/nothing`)).status).toBe(404);
      expect((await text(`${path}/etcd/`)).status).toBe(404);
    },
  );

  it('a check can be left out', async () => {
    const { text: report } = await text('/readyz?verbose&exclude=etcd');
    expect(report).toContain('[+]etcd excluded: ok\n');
  });
});

/** A sample of the exposition format. */
interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

async function scrape(): Promise<{ types: Map<string, string>; samples: Sample[] }> {
  const { text: exposition } = await text('/metrics');
  const types = new Map<string, string>();
  const samples: Sample[] = [];
  for (const line of exposition.split('\n')) {
    const [, typed, type] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? [];
    if (typed !== undefined && type !== undefined) types.set(typed, type);
    const [, name, labels = '', value] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (name === undefined) continue;
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key, of]) => [key, of]);
    samples.push({ name, labels: Object.fromEntries(pairs) as Record<string, string>, value: Number(value) });
  }
  return { types, samples };
}

const valueOf = async (name: string, labels: Record<string, string>): Promise<number> => {
  const { samples } = await scrape();
  const matches = ({ labels: found }: Sample) =>
    Object.entries(labels).every(([key, value]) => found[key] === value);
  return samples
    .filter((sample) => sample.name === name && matches(sample))
    .reduce((sum, s) => sum + s.value, 0);
};

describe('metrics', () => {
  it('require a permission, and are in the format of Prometheus', async () => {
    expect((await text('/metrics', anonymous)).status).toBe(403);
    expect(await text('/metrics')).toMatchObject({
      status: 200,
      type: 'text/plain; version=0.0.4; charset=utf-8; escaping=underscores',
    });
    const { types, samples } = await scrape();
    const family = (name: string) => name.replace(/_(bucket|sum|count)$/, '');
    expect(samples.filter(({ name }) => !types.has(name) && !types.has(family(name)))).toEqual([]);
    expect(samples.filter(({ value }) => Number.isNaN(value))).toEqual([]);
  });

  it('have the names of kube-apiserver and of its controllers if those have them', async () => {
    const { types } = await scrape();
    expect(Object.fromEntries(types)).toMatchObject({
      apiserver_request_total: 'counter',
      apiserver_request_duration_seconds: 'histogram',
      apiserver_longrunning_requests: 'gauge',
      etcd_request_duration_seconds: 'histogram',
      process_resident_memory_bytes: 'gauge',
      process_start_time_seconds: 'gauge',
      workqueue_adds_total: 'counter',
      aggregator_unavailable_apiservice: 'gauge',
      nodejs_eventloop_lag_max_seconds: 'gauge',
    });
  });

  it('count requests by verb, resource and code, and open watches', async () => {
    // Controllers create ConfigMaps after the start, but no Secrets.
    const posts = { verb: 'POST', resource: 'secrets', code: '201' };
    const before = await valueOf('apiserver_request_total', posts);
    const secrets = '/api/v1/namespaces/default/secrets';
    await client.json({ method: 'POST', path: secrets, body: { metadata: { name: 'counted' } } });
    const counted = async () => (await valueOf('apiserver_request_total', posts)) === before + 1;
    await vi.waitUntil(counted, { timeout: patienceMs });
    const watches = { verb: 'WATCH', resource: 'configmaps' };
    let open = 0;
    // Controllers open watches after the start.
    const isStable = async () => open === (open = await valueOf('apiserver_longrunning_requests', watches));
    await vi.waitUntil(isStable, { timeout: patienceMs, interval: 500 });
    const watch = client.watch<KubeObject>(configMaps, {
      resourceVersion: '0',
      sendInitialEvents: true,
      resourceVersionMatch: 'NotOlderThan',
      allowWatchBookmarks: true,
    });
    await watch.next();
    expect(await valueOf('apiserver_longrunning_requests', watches)).toBe(open + 1);
    await watch.return(undefined);
    const closed = async () => (await valueOf('apiserver_longrunning_requests', watches)) === open;
    await vi.waitUntil(closed, { timeout: patienceMs });
  });

  it('do not grow with arbitrary requests of clients', async () => {
    const ask = async (i: number) => {
      await text(`/made/up/${i}`);
      await text(`/apis/made-up-${i}.example.com/v1/things-${i}`);
      await text(`${configMaps}/made-up-${i}`);
      await client.send({ method: `MADEUP${i}`, path: configMaps }).catch(() => undefined);
    };
    await ask(0);
    let length = 0;
    // The first requests of controllers add samples.
    const isStable = async () => length === (length = (await scrape()).samples.length);
    await vi.waitUntil(isStable, { timeout: patienceMs, interval: 500 });
    for (let i = 1; i <= 20; i++) await ask(i);
    // Only samples of further status codes may be added.
    expect((await scrape()).samples.length).toBeLessThan(length + 40);
  });
});

describe('the log', () => {
  const lines = () =>
    annex
      .lines()
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Record<string, unknown>);

  it('has a line for each request, with the audit id of the response', async () => {
    const { headers } = await client.send({ path: `${configMaps}/nobody` });
    const auditId = headers['audit-id'];
    await vi.waitUntil(() => lines().some((line) => line.auditId === auditId), { timeout: patienceMs });
    expect(lines().filter((line) => line.auditId === auditId)).toMatchObject([
      { method: 'GET', path: `${configMaps}/nobody`, verb: 'get', user: 'admin', code: 404 },
    ]);
  });

  it('has one JSON object for each line, except for the lines that report readiness', () => {
    const others = annex.lines().filter((line) => !line.startsWith('{'));
    expect(others).toEqual([
      expect.stringMatching(/^annex is ready in \d+\.\d+ s: https:\S+$/),
      `  export KUBECONFIG=${annex.kubeconfig}`,
    ]);
  });

  it('never contains a token', async () => {
    const path = '/api/v1/namespaces/default/serviceaccounts/default/token';
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
    const { status } = await client.json<{ status: { token: string } }>({ method: 'POST', path, body });
    const bearer = await anonymous.send({
      path: configMaps,
      headers: { authorization: `Bearer ${status.token}` },
    });
    const auditId = bearer.headers['audit-id'];
    await vi.waitUntil(() => lines().some((line) => line.auditId === auditId), { timeout: patienceMs });
    const secret = status.token.split('.').at(-1)!;
    expect(annex.lines().filter((line) => line.includes(secret))).toEqual([]);
  });
});

describe('a second server', () => {
  it('on the same data reports the process that uses it, and ends', async () => {
    const args = [annexCommand, 'up', '--data-dir', annex.dataDir, '--port', '0', '--controllers='];
    const second = await startProcess(process.execPath, { args });
    expect(await second.exited).toBe(1);
    const pid = annex.pids().get('annex');
    expect(second.lines.join('\n')).toMatch(
      new RegExp(`^DATA_DIR_IN_USE: .* is held by process ${pid}$`, 'm'),
    );
  });
});

describe('a server that receives SIGTERM', () => {
  it('ends watches regularly, finishes requests in progress, and exits', async () => {
    const { certificate: cert, key } = loadTestCA(annex.pki).issue({
      commonName: 'admin',
      organizations: ['system:masters'],
    });
    const session = connect(annex.url, { cert, key, rejectUnauthorized: false });
    const watch = session.request({ ':path': `${configMaps}?watch=1` });
    const errors: unknown[] = [];
    for (const emitter of [session, watch]) emitter.on('error', (error) => errors.push(error));
    watch.resume();
    await once(watch, 'response');
    const ended = once(watch, 'end');
    const create = client.json<KubeObject>({
      method: 'POST',
      path: configMaps,
      body: { metadata: { name: 'last' } },
    });
    // The request is sent before the signal.
    await setTimeout(0);
    const restarted = create.then(() => annex.restart('SIGTERM'));
    await ended;
    expect(watch.rstCode).toBe(0);
    await restarted;
    expect(errors).toEqual([]);
    expect((await client.json<KubeObject>({ path: `${configMaps}/last` })).metadata.name).toBe('last');
    session.destroy();
  });
});
