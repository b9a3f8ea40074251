import { writeFileSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { Client, loadKubeconfig } from '@annex/client';
import { loadTestCA, requireTools } from '@annex/testkit';
import { stringify } from 'yaml';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Runner } from '../runners/runner.ts';
import { startAnnex } from '../runners/start-annex.ts';
import { echo } from './konnectivity/destinations.ts';
import { type Maker, reaches, TunnelPrograms, upstreamPrograms } from './konnectivity/programs.ts';

// https://kubernetes.io/docs/tasks/extend-kubernetes/setup-konnectivity/

const audience = 'system:konnectivity-server';
const withUpstream = requireTools('tokens with upstream programs', ...upstreamPrograms);
const pairs: [server: Maker, agent: Maker][] = [
  ['annex', 'annex'],
  ...(withUpstream
    ? ([
        ['annex', 'upstream'],
        ['upstream', 'annex'],
      ] as [Maker, Maker][])
    : []),
];

let annex: Runner;
let admin: Client;
let programs: TunnelPrograms;

beforeAll(async () => {
  annex = await startAnnex({ ephemeral: true });
  admin = new Client(await loadKubeconfig(annex.kubeconfig));
  for (const [namespace, name] of [
    ['kube-system', 'konnectivity-agent'],
    ['kube-system', 'other'],
    ['default', 'konnectivity-agent'],
  ])
    await admin.json({
      method: 'POST',
      path: `/api/v1/namespaces/${namespace}/serviceaccounts`,
      body: { metadata: { name } },
    });
  const subjects = [{ kind: 'User', name: audience, apiGroup: 'rbac.authorization.k8s.io' }];
  const rbac = '/apis/rbac.authorization.k8s.io/v1';
  const roleRef = (kind: string, name: string) => ({ apiGroup: 'rbac.authorization.k8s.io', kind, name });
  await admin.json({
    method: 'POST',
    path: `${rbac}/clusterrolebindings`,
    body: {
      metadata: { name: audience, labels: { 'kubernetes.io/cluster-service': 'true' } },
      roleRef: roleRef('ClusterRole', 'system:auth-delegator'),
      subjects,
    },
  });
  const namespace = `${rbac}/namespaces/kube-system`;
  const leases = { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['*'] };
  await admin.json({
    method: 'POST',
    path: `${namespace}/roles`,
    body: { metadata: { name: audience }, rules: [leases] },
  });
  await admin.json({
    method: 'POST',
    path: `${namespace}/rolebindings`,
    body: { metadata: { name: audience }, roleRef: roleRef('Role', audience), subjects },
  });
});
afterAll(async () => {
  admin.close();
  await annex.stop();
});
beforeEach(() => void (programs = new TunnelPrograms()));
afterEach(() => programs[Symbol.asyncDispose]());

/** The kubeconfig of the documented certificate. */
function serverKubeconfig(): string {
  const { certificate, key } = loadTestCA(annex.pki).issue({ commonName: audience });
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const name = 'kubernetes';
  return programs.file(
    'server.conf',
    stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name, cluster: { server: annex.url, 'certificate-authority': `${annex.pki}/ca.crt` } }],
      users: [
        {
          name: audience,
          user: { 'client-certificate-data': base64(certificate), 'client-key-data': base64(key) },
        },
      ],
      contexts: [{ name: `${audience}@${name}`, context: { cluster: name, user: audience } }],
      'current-context': `${audience}@${name}`,
    }),
  );
}

async function token(account: string, audiences = [audience], namespace = 'kube-system'): Promise<string> {
  const { status } = await admin.json<{ status: { token: string } }>({
    method: 'POST',
    path: `/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`,
    body: { spec: { audiences } },
  });
  return status.token;
}

const authentication = () => [
  '--agent-namespace=kube-system',
  '--agent-service-account=konnectivity-agent',
  `--authentication-audience=${audience}`,
  `--kubeconfig=${serverKubeconfig()}`,
];

describe.each(pairs)('the server of %s, the agent of %s', (server, agent) => {
  it('KON-011 KON-012 KON-025 KON-026 KON-027 KON-035 KON-036 KON-037 KON-038 an agent connects with its token', async () => {
    const started = await programs.server({ maker: server, args: authentication() });
    const file = programs.file('token', await token('konnectivity-agent'));
    await programs.agent(started, { maker: agent, args: [`--service-account-token-path=${file}`] });
    await reaches(`${started.health}/readyz`);
    await using echoing = await echo();
    const connection = await started.dial(echoing.address);
    connection.write('ping');
    expect(String(await readSome(connection))).toBe('ping');
    connection.destroy();
  });
});

const readSome = async (connection: NodeJS.ReadableStream): Promise<unknown> => {
  for await (const chunk of connection) return chunk;
  return undefined;
};

describe('agents that are refused', () => {
  const refused: [string, () => Promise<string>, RegExp][] = [
    [
      'KON-027 another audience',
      () => token('konnectivity-agent', ['other']),
      /token audiences \[\\*"other\\*"\] is invalid for the target audiences/,
    ],
    ['KON-025 another account', () => token('other'), /incoming request from \\?"other\\?" service account/],
    [
      'KON-025 the account of that name in another namespace',
      () => token('konnectivity-agent', [audience], 'default'),
      /incoming request from \\?"default\\?" namespace/,
    ],
    ['no token of the API server', async () => 'garbage', /invalid bearer token/],
  ];
  it('KON-035 no token', async () => {
    const server = await programs.server({ args: authentication() });
    const agent = await programs.agent(server);
    const reason = /Authentication context was not found in metadata/;
    await server.process.waitFor(reason);
    await agent.process.waitFor(reason);
    await reaches(`${server.health}/readyz`, 500);
  });

  it.each(refused)('%s', async (_sentence, credential, reason) => {
    const server = await programs.server({ args: authentication() });
    const file = programs.file('token', await credential());
    const agent = await programs.agent(server, { args: [`--service-account-token-path=${file}`] });
    await server.process.waitFor(reason);
    // The agent reports the reason of the server.
    await agent.process.waitFor(reason);
    await reaches(`${server.health}/readyz`, 500);
    await reaches(`${agent.health}/readyz`, 503);
    // A token that is renewed is used at the next attempt.
    writeFileSync(file, await token('konnectivity-agent'));
    await reaches(`${server.health}/readyz`);
  });
});

it('servers keep leases, which agents count', async () => {
  const kubeconfig = serverKubeconfig();
  const lease = (id: string) => [
    `--server-id=${id}`,
    '--enable-lease-controller',
    `--kubeconfig=${kubeconfig}`,
  ];
  const first = await programs.server({ args: lease('first') });
  const second = await programs.server({ args: lease('second') });
  const leases = async () => {
    const { items } = await admin.json<{ items: { metadata: { name: string } }[] }>({
      path: '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases?labelSelector=k8s-app%3Dkonnectivity-server',
    });
    return items.map(({ metadata }) => metadata.name);
  };
  await expect
    .poll(leases, { timeout: 10_000 })
    .toEqual(['konnectivity-proxy-server-first', 'konnectivity-proxy-server-second']);
  const agent = await programs.agent(first, {
    args: ['--count-server-leases', `--kubeconfig=${kubeconfig}`],
  });
  await expect
    .poll(async () => await (await fetch(`${agent.health}/metrics`)).text(), { timeout: 10_000 })
    .toContain('known_server_count 2');
  expect(await second.process.stop()).toBe(0);
  expect(await leases()).toEqual(['konnectivity-proxy-server-first']);
  await expect
    .poll(async () => await (await fetch(`${agent.health}/metrics`)).text(), { timeout: 10_000 })
    .toContain('known_server_count 1');
});

it('an agent connects to every address of its servers, without a balancer', async () => {
  const first = await programs.server({ args: ['--server-id=first', '--agent-bind-address=127.0.0.1'] });
  const port = first.agentPort;
  const second = await programs.server({
    args: ['--server-id=second', '--agent-bind-address=127.0.0.2', `--agent-port=${port}`],
  });
  await programs.agent(first, { args: ['--proxy-server-host=127.0.0.1,127.0.0.2'] });
  for (const server of [first, second]) await reaches(`${server.health}/readyz`);
  await using echoing = await echo();
  for (const server of [first, second]) {
    const connection = await server.dial(echoing.address);
    connection.end('ping');
    expect(String(await buffer(connection))).toBe('ping');
  }
});
