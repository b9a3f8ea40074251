import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@annex/client';
import { type TempFolder, tempFolder } from '@annex/testkit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type RunningAnnex, runAnnex } from './running-annex.fixture.ts';

const policy = `
apiVersion: audit.k8s.io/v1
kind: Policy
rules:
- {level: None, users: [quiet]}
- {level: Metadata, nonResourceURLs: [/version]}
- {level: Request, namespaces: [kube-public]}
- {level: RequestResponse, namespaces: [kube-system], omitManagedFields: true, omitStages: [RequestReceived]}
- {level: RequestResponse, namespaces: [default]}
`;

interface Event {
  auditID: string;
  stage: string;
  [field: string]: unknown;
}

let folder: TempFolder;
let annex: RunningAnnex;
let client: Client;
let requested = 0;

beforeAll(async () => {
  folder = tempFolder();
  writeFileSync(join(folder.path, 'policy.yaml'), policy);
  annex = await runAnnex(
    '--ephemeral',
    '--audit-policy-file',
    join(folder.path, 'policy.yaml'),
    '--audit-log-path',
    log(),
  );
  client = annex.admin;
});

afterAll(async () => {
  await annex.stop();
  folder[Symbol.dispose]();
});

const log = () => join(folder.path, 'audit.log');

/** Resolves to the events of one request, without values that differ each time. */
async function eventsOf(method: string, path: string, provided: { headers?: object; body?: unknown } = {}) {
  const id = `test-${++requested}`;
  const { headers, body } = provided;
  const about = { method, path, ...(body === undefined ? {} : { body }) };
  const sent = { 'audit-id': id, 'user-agent': 'test/1', ...headers };
  const response = await client.send({ ...about, headers: sent });
  // The client sees the end of a response before the server has written its event.
  await vi.waitUntil(() => written(id).some(({ stage }) => stage === 'ResponseComplete'), {
    timeout: 20_000,
  });
  return { id, status: response.status, events: written(id) };
}

function written(id: string) {
  const lines = readFileSync(log(), 'utf8').trimEnd().split('\n');
  const events = lines.map((line) => JSON.parse(line) as Event).filter(({ auditID }) => auditID === id);
  return events.map(steady);
}

const changing = ['requestReceivedTimestamp', 'stageTimestamp', 'auditID', 'kind', 'apiVersion'];

function steady(event: Event): Record<string, unknown> {
  for (const field of changing) expect(event[field]).toBeTypeOf('string');
  const rest = Object.entries(event).filter(([field]) => !changing.includes(field));
  return Object.fromEntries(rest);
}

const admin = {
  username: 'admin',
  groups: ['system:masters', 'system:authenticated'],
  extra: { 'authentication.kubernetes.io/credential-id': [expect.stringContaining('X509SHA256=')] },
};
const about = { user: admin, sourceIPs: ['127.0.0.1'], userAgent: 'test/1' };
/** Requests that take half a second get annotations about latency in addition. */
const allowed: unknown = expect.objectContaining({
  'authorization.k8s.io/decision': 'allow',
  'authorization.k8s.io/reason': '',
});
const maps = (namespace: string) => `/api/v1/namespaces/${namespace}/configmaps`;
const map = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { a: 'b' } });

describe('events are written as kube-apiserver writes them', () => {
  it('of a create, with request and response object', async () => {
    const { events } = await eventsOf('POST', maps('default'), { body: map('one') });
    const before = { level: 'RequestResponse', requestURI: maps('default'), verb: 'create', ...about };
    const ref = { resource: 'configmaps', namespace: 'default', apiVersion: 'v1' };
    expect(events).toEqual([
      { ...before, stage: 'RequestReceived', objectRef: ref },
      {
        ...before,
        stage: 'ResponseComplete',
        objectRef: { ...ref, name: 'one' },
        responseStatus: { metadata: {}, code: 201 },
        requestObject: map('one'),
        responseObject: expect.objectContaining({ kind: 'ConfigMap', data: { a: 'b' } }),
        annotations: allowed,
      },
    ]);
  });

  it('of a level without response objects', async () => {
    const { events } = await eventsOf('POST', maps('kube-public'), { body: map('one') });
    expect(events.at(-1)).toMatchObject({ level: 'Request', requestObject: map('one') });
    expect(events.at(-1)).not.toHaveProperty('responseObject');
  });

  it('without the omitted stages and managedFields', async () => {
    await eventsOf('POST', maps('kube-system'), { body: map('one') });
    const { events } = await eventsOf('GET', maps('kube-system'));
    expect(events.map(({ stage }) => stage)).toEqual(['ResponseComplete']);
    const { items } = events[0]?.responseObject as { items: { metadata: object; data: object }[] };
    const found = items.find(({ data }) => JSON.stringify(data) === '{"a":"b"}');
    expect(Object.keys(found?.metadata ?? {}).sort()).toEqual([
      'creationTimestamp',
      'name',
      'namespace',
      'resourceVersion',
      'uid',
    ]);
  });

  it('of a patch, also if the object does not exist', async () => {
    const headers = { 'content-type': 'application/merge-patch+json' };
    const { events } = await eventsOf('PATCH', `${maps('default')}/none`, {
      headers,
      body: { data: { c: 'd' } },
    });
    const failure = {
      status: 'Failure',
      message: 'configmaps "none" not found',
      reason: 'NotFound',
      details: { name: 'none', kind: 'configmaps' },
      code: 404,
    };
    expect(events.at(-1)).toMatchObject({
      requestObject: { data: { c: 'd' } },
      responseStatus: { metadata: {}, ...failure },
      responseObject: { kind: 'Status', apiVersion: 'v1', metadata: {}, ...failure },
    });
  });

  it('of a deletion with options', async () => {
    await eventsOf('POST', maps('default'), { body: map('gone') });
    const body = { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Background' };
    const { events } = await eventsOf('DELETE', `${maps('default')}/gone`, { body });
    expect(events.at(-1)).toMatchObject({
      requestObject: { ...body, apiVersion: 'meta.k8s.io/__internal' },
      responseStatus: { status: 'Success', code: 200 },
    });
  });

  it('of a watch when it begins, and when it ends', async () => {
    const { id } = await eventsOf('GET', `${maps('default')}?watch=1&timeoutSeconds=1`);
    // The client sees the end of a stream before the server has written its event.
    const stages = () => written(id).map(({ stage, responseStatus }) => [stage, responseStatus]);
    await expect.poll(stages).toEqual([
      ['RequestReceived', undefined],
      ['ResponseStarted', { metadata: {}, code: 200 }],
      ['ResponseComplete', { metadata: {}, code: 200 }],
    ]);
  });

  it('of an impersonated user who is denied', async () => {
    const headers = { 'impersonate-user': 'jane', 'impersonate-group': 'dev' };
    const { events } = await eventsOf('GET', `${maps('default')}/one`, { headers });
    expect(events.at(-1)).toMatchObject({
      user: admin,
      impersonatedUser: { username: 'jane', groups: ['dev', 'system:authenticated'] },
      authenticationMetadata: { impersonationConstraint: 'impersonate:user-info' },
      responseStatus: { reason: 'Forbidden', code: 403 },
      annotations: { 'authorization.k8s.io/decision': 'forbid', 'authorization.k8s.io/reason': '' },
    });
  });

  it('of a client that cannot be authenticated, once', async () => {
    const stranger = new Client({
      server: annex.url,
      ca: readFileSync(join(annex.pki, 'ca.crt'), 'utf8'),
      token: 'x',
    });
    const id = 'stranger';
    const { status } = await stranger.send({ path: '/version', headers: { 'audit-id': id } });
    stranger.close();
    expect(status).toBe(401);
    const lines = readFileSync(log(), 'utf8')
      .split('\n')
      .filter((line) => line.includes(`"auditID":"${id}"`));
    expect(lines.map((line) => JSON.parse(line) as Event)).toMatchObject([
      { stage: 'ResponseStarted', user: {}, responseStatus: { reason: 'Unauthorized', code: 401 } },
    ]);
  });

  it('of a path that is not a resource', async () => {
    const { events } = await eventsOf('GET', '/version');
    expect(events.at(-1)).toEqual({
      level: 'Metadata',
      stage: 'ResponseComplete',
      requestURI: '/version',
      verb: 'get',
      ...about,
      responseStatus: { metadata: {}, code: 200 },
      annotations: allowed,
    });
  });

  it.each(['v1', 'v2'])(
    'VER-005 of a client of version %s, with its user, program and version',
    async (version) => {
      const path = `/apis/autoscaling/${version}/namespaces/default/horizontalpodautoscalers`;
      const { events } = await eventsOf('GET', path, { headers: { 'impersonate-user': 'jane' } });
      expect(events.at(-1)).toMatchObject({
        impersonatedUser: { username: 'jane' },
        userAgent: 'test/1',
        requestURI: path,
        objectRef: { apiGroup: 'autoscaling', apiVersion: version, resource: 'horizontalpodautoscalers' },
      });
    },
  );

  it('with all source addresses of a request', async () => {
    const headers = { 'x-forwarded-for': 'bad, 1.2.3.4', 'x-real-ip': '5.6.7.8' };
    const { events } = await eventsOf('GET', '/version', { headers });
    expect(events[0]?.sourceIPs).toEqual(['1.2.3.4', '5.6.7.8', '127.0.0.1']);
  });

  it('not of requests that the policy leaves out', async () => {
    await client.send({ path: '/api', headers: { 'audit-id': 'left-out' } });
    await eventsOf('GET', '/version');
    expect(written('left-out')).toEqual([]);
  });
});
