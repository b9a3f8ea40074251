import { startMemoryEtcd } from '@annex/app-testkit';
import type { WatchEvent } from '@annex/client';
import type { KubeObject } from '@annex/machinery';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type RunningAnnex, runAnnex } from './running-annex.fixture.ts';
import { type Outage, startOutage } from './store-outage.fixture.ts';

/** Kube-apiserver served and refused the same during a SIGSTOP and a SIGKILL of its etcd: 1.36.3 with etcd 3.6.8. */
const configMaps = '/api/v1/namespaces/default/configmaps';
const reviews = '/apis/authorization.k8s.io/v1';
const tooLarge = 'Timeout: Too large resource version: 999999';

const opened = new AsyncDisposableStack();
let outage: Outage;
let annex: RunningAnnex;
let version: string;
let continueToken: string;
let watch: AsyncGenerator<WatchEvent<KubeObject>>;
const client = () => annex.admin;

beforeAll(async () => {
  const etcd = process.env.ANNEX_TEST_ETCD ?? (await startMemoryEtcd(opened));
  outage = opened.use(await startOutage(Number(new URL(etcd).port)));
  const prefix = `--etcd-prefix=/outage-${process.pid}-${Date.now()}`;
  annex = await runAnnex(`--etcd-servers=http://127.0.0.1:${outage.port}`, prefix);
  opened.defer(() => annex.stop());
  for (const name of ['a', 'b'])
    await client().json({ method: 'POST', path: configMaps, body: { metadata: { name } } });
  const list = await client().json<KubeObject>({ path: `${configMaps}?limit=1` });
  version = list.metadata.resourceVersion!;
  continueToken = String((list.metadata as { continue?: string }).continue);
  await client().json({ method: 'DELETE', path: `${configMaps}/b` });
  const last = await client().json<KubeObject>({ path: configMaps });
  watch = client().watch(`${configMaps}?resourceVersion=${last.metadata.resourceVersion}`);
}, 60_000);
afterAll(() => opened.disposeAsync());

const review = (kind: string, spec: object) => ({ apiVersion: 'authorization.k8s.io/v1', kind, spec });
const resourceAttributes = { verb: 'get', resource: 'pods', namespace: 'default' };

/** A request, the status of its response, and a part of its body. */
type Row = [
  what: string,
  request: () => { method?: string; path: string; body?: object },
  status: number,
  part: string,
];

const served: Row[] = [
  ['an object of any version', () => ({ path: `${configMaps}/a?resourceVersion=0` }), 200, '"name":"a"'],
  [
    'an object of a known version',
    () => ({ path: `${configMaps}/a?resourceVersion=${version}` }),
    200,
    '"name":"a"',
  ],
  [
    'a missing object of any version',
    () => ({ path: `${configMaps}/none?resourceVersion=0` }),
    404,
    'not found',
  ],
  ['a list of any version', () => ({ path: `${configMaps}?resourceVersion=0` }), 200, '"name":"a"'],
  [
    'a list not older than a known version',
    () => ({ path: `${configMaps}?resourceVersion=${version}` }),
    200,
    '"name":"a"',
  ],
  [
    'a list of exactly a known version',
    () => ({ path: `${configMaps}?resourceVersion=${version}&resourceVersionMatch=Exact` }),
    200,
    '"name":"b"',
  ],
  ['a further page', () => ({ path: `${configMaps}?limit=1&continue=${continueToken}` }), 200, '"name":"b"'],
  [
    'a list that nobody has read before',
    () => ({ path: '/apis/apps/v1/daemonsets?resourceVersion=0' }),
    200,
    '"items":[]',
  ],
  [
    'a watch with existing objects',
    () => ({ path: `${configMaps}?watch=1&resourceVersion=0&timeoutSeconds=1` }),
    200,
    '"name":"a"',
  ],
  [
    'a watch of later changes',
    () => ({ path: `${configMaps}?watch=1&resourceVersion=${version}&timeoutSeconds=1` }),
    200,
    '"type":"DELETED"',
  ],
  [
    'a review of an access that RBAC grants',
    () => ({
      method: 'POST',
      path: `${reviews}/subjectaccessreviews`,
      body: review('SubjectAccessReview', { user: 'root', groups: ['system:masters'], resourceAttributes }),
    }),
    201,
    '"allowed":true',
  ],
  [
    'a review of an access that nobody grants',
    () => ({
      method: 'POST',
      path: `${reviews}/subjectaccessreviews`,
      body: review('SubjectAccessReview', { user: 'nobody', resourceAttributes }),
    }),
    201,
    '"allowed":false',
  ],
  [
    'a review of the rules of a user',
    () => ({
      method: 'POST',
      path: `${reviews}/selfsubjectrulesreviews`,
      body: review('SelfSubjectRulesReview', { namespace: 'default' }),
    }),
    201,
    '"resourceRules":[',
  ],
  ['discovery', () => ({ path: '/apis/apps/v1' }), 200, 'deployments'],
];

const refused: Row[] = [
  [
    'an object of a version that does not exist',
    () => ({ path: `${configMaps}/a?resourceVersion=999999` }),
    504,
    tooLarge,
  ],
  [
    'a list of a version that does not exist',
    () => ({ path: `${configMaps}?resourceVersion=999999` }),
    504,
    tooLarge,
  ],
  ['the newest object', () => ({ path: `${configMaps}/a` }), 504, 'within the allotted timeout'],
  ['the newest list', () => ({ path: configMaps }), 504, 'within the allotted timeout'],
  [
    'a write',
    () => ({ method: 'POST', path: configMaps, body: { metadata: { generateName: 'c-' } } }),
    504,
    'Timeout: request did not complete within requested timeout - context deadline exceeded',
  ],
  [
    'readiness',
    () => ({ path: '/readyz' }),
    500,
    '[-]etcd failed: reason withheld\n[-]etcd-readiness failed',
  ],
  ['liveness', () => ({ path: '/livez' }), 500, '[-]etcd failed'],
  [
    'the check of etcd',
    () => ({ path: '/livez/etcd' }),
    500,
    'error getting data from etcd: context deadline exceeded',
  ],
];

/** Resolves to the responses of all rows at the same time. */
const responses = (rows: readonly Row[]) =>
  Promise.all(
    rows.map(async ([what, request]) => {
      const { status, body } = await client().send(request());
      return [what, status, body.toString()] as const;
    }),
  );

describe.each([
  ['does not respond', () => outage.freeze()],
  ['is not there', () => outage.kill()],
])('while etcd %s', (_what, begin) => {
  let got: (readonly [string, number, string])[];
  beforeAll(async () => {
    await begin();
    got = await responses([...served, ...refused]);
  }, 60_000);
  afterAll(() => outage.end());

  it.each([...served, ...refused])('%s', (what, _request, status, part) => {
    expect(got.find(([name]) => name === what)).toEqual([what, status, expect.stringContaining(part)]);
  });
});

it('afterwards a watch that was open before goes on, and writes succeed', { timeout: 60_000 }, async () => {
  await vi.waitFor(
    () => client().json({ method: 'POST', path: configMaps, body: { metadata: { name: 'later' } } }),
    { timeout: 30_000 },
  );
  const seen: string[] = [];
  while (!seen.includes('later'))
    seen.push(((await watch.next()).value as WatchEvent<KubeObject>).object.metadata.name!);
  expect(seen.at(-1)).toBe('later');
});
