import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@annex/client';
import {
  createTestCA,
  type Credential,
  freePorts,
  type RunningProcess,
  startProcess,
  tempFolder,
} from '@annex/testkit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { annexCommand, annexNode } from '../runners/annex-command.ts';
import { buildGoClients } from './clients/go-clients.ts';
import { runCommand } from './command.ts';
import { patienceMs } from './patience.ts';

const run = promisify(execFile);
const clients = await buildGoClients('envtest with controller-runtime');

const folder = tempFolder();
let assets: string;
beforeAll(async () => {
  const dir = join(folder.path, 'assets');
  const { stdout } = await run(annexNode, [annexCommand, 'envtest', '--dir', dir]);
  assets = stdout.trim();
});
afterAll(() => folder[Symbol.dispose]());

it('the printed folder has the three programs, and a probe finds the flags of 1.36', async () => {
  expect(readdirSync(assets).sort()).toEqual(['etcd', 'help', 'kube-apiserver', 'kubectl']);
  const { stdout } = await run(join(assets, 'kube-apiserver'), ['--help']);
  expect(stdout).toMatch(/^\s*--service-cluster-ip-range\b/m);
  expect(stdout).not.toMatch(/^\s*--insecure-port\b/m);
});

it.runIf(clients)(
  'controller-runtime starts it, calls webhooks whose caBundle is their own certificate, and restarts it',
  async () => {
    const env = { ...process.env, KUBEBUILDER_ASSETS: assets };
    const { code, text } = await runCommand(clients ?? '', ['envtest'], { env, timeout: 2 * patienceMs });
    expect(text.replace(/in \d+ ms/, 'in N ms')).toBe(
      [
        'started in N ms, with its CRD',
        'the webhook with its own certificate as caBundle denied a request',
        'another user created an object',
        'a restarted API server serves the objects of the same etcd',
        '',
      ].join('\n'),
    );
    expect(code).toBe(0);
  },
  3 * patienceMs,
);

/** What a test environment writes before it starts the programs. */
interface Environment {
  /** The folder of certificates. */
  dir: string;
  etcd: string;
  port: number;
  serving: Credential;
  accounts: Credential;
}

/** How a test environment starts the programs, by its language. */
interface Port {
  etcd(at: Environment & { peer: string }): string[];
  apiServer(at: Environment): string[];
  health: string;
}

const equals = (flags: Record<string, string | number>) =>
  Object.entries(flags).map(([flag, value]) => `--${flag}=${value}`);
const spaces = (flags: Record<string, string | number>) =>
  Object.entries(flags).flatMap(([flag, value]) => [`--${flag}`, String(value)]);

const common = ({ dir, etcd, port }: Environment) => ({
  'bind-address': '127.0.0.1',
  'cert-dir': dir,
  'client-ca-file': join(dir, 'client-ca.crt'),
  'disable-admission-plugins': 'ServiceAccount',
  'etcd-servers': etcd,
  'secure-port': port,
  'service-account-issuer': `https://127.0.0.1:${port}/`,
  'service-account-signing-key-file': join(dir, 'sa-signer.key'),
  'service-cluster-ip-range': '10.0.0.0/24',
});

const ports: Record<string, Port> = {
  Go: {
    etcd: ({ dir, etcd, peer }) =>
      equals({
        'advertise-client-urls': etcd,
        'data-dir': join(dir, 'etcd'),
        'listen-client-urls': etcd,
        'listen-peer-urls': peer,
        'unsafe-no-fsync': 'true',
      }),
    apiServer: (at) =>
      equals({
        ...common(at),
        'allow-privileged': 'true',
        'authorization-mode': 'RBAC',
        'service-account-key-file': join(at.dir, 'sa-signer.crt'),
      }),
    health: '/healthz',
  },
  Java: {
    etcd: ({ dir, etcd, peer }) => [
      `-data-dir=${join(dir, 'etcd')}`,
      `-wal-dir=${join(dir, 'wal')}`,
      ...spaces({
        'advertise-client-urls': etcd,
        'initial-advertise-peer-urls': peer,
        'initial-cluster': `default=${peer}`,
        'listen-client-urls': etcd,
        'listen-peer-urls': peer,
      }),
    ],
    apiServer: (at) => [
      ...spaces({ ...common(at), 'service-account-key-file': join(at.dir, 'sa-signer.key') }),
      '--allow-privileged',
      '--authorization-mode',
      'RBAC',
      '--bind-address',
      '127.0.0.1',
    ],
    health: '/readyz',
  },
  JavaScript: {
    etcd: ({ dir, etcd, peer }) =>
      equals({
        'data-dir': join(dir, 'etcd'),
        'advertise-client-urls': etcd,
        'listen-client-urls': etcd,
        'listen-peer-urls': peer,
      }),
    apiServer: (at) =>
      equals({
        ...common(at),
        'allow-privileged': 'true',
        'authorization-mode': 'RBAC',
        'service-account-key-file': join(at.dir, 'sa-signer.crt'),
        'tls-cert-file': join(at.dir, 'apiserver.crt'),
        'tls-private-key-file': join(at.dir, 'apiserver.key'),
      }),
    health: '/healthz',
  },
};

describe.each(Object.entries(ports))('the start sequence of the %s port', (language, port) => {
  const ca = createTestCA('envtest');
  const started: RunningProcess[] = [];
  afterAll(() => Promise.all(started.map((program) => program.stop())));

  it('serves its users with its certificate, and stops on SIGTERM', { timeout: 3 * patienceMs }, async () => {
    const [etcdPort, peerPort, apiPort] = (await freePorts(3)) as [number, number, number];
    const at: Environment = {
      dir: join(folder.path, language),
      etcd: `http://127.0.0.1:${etcdPort}`,
      port: apiPort,
      serving: ca.issue({ commonName: 'apiserver', dnsNames: ['localhost'], ipAddresses: ['127.0.0.1'] }),
      accounts: ca.issue({ commonName: 'sa' }),
    };
    writeFiles(at, ca.certificate);
    const start = async (name: string, args: string[]): Promise<RunningProcess> => {
      const program = await startProcess(join(assets, name), { args });
      started.push(program);
      return program;
    };

    const etcd = await start('etcd', port.etcd({ ...at, peer: `http://127.0.0.1:${peerPort}` }));
    await untilHealthy(async () => (await (await fetch(`${at.etcd}/health`)).json()) as { health: string });

    const apiServer = await start('kube-apiserver', port.apiServer(at));
    const { certificate: cert, key } = ca.issue({ commonName: 'admin', organizations: ['system:masters'] });
    const server = `https://127.0.0.1:${at.port}`;
    const anonymous = new Client({ server, ca: ca.certificate });
    await untilHealthy(async () => ({
      health: String((await anonymous.send({ path: port.health })).status === 200),
    }));
    anonymous.close();

    const admin = new Client({ server, ca: ca.certificate, cert, key });
    const accounts = '/api/v1/namespaces/default/serviceaccounts';
    await admin.json({ method: 'POST', path: accounts, body: { metadata: { name: 'robot' } } });
    const { status } = (await admin.json({
      method: 'POST',
      path: `${accounts}/robot/token`,
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
    })) as { status: { token: string } };
    admin.close();
    const robot = new Client({ server, ca: ca.certificate, token: status.token });
    const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
    const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
    expect(await robot.json({ method: 'POST', path, body: review })).toMatchObject({
      status: { userInfo: { username: 'system:serviceaccount:default:robot' } },
    });
    robot.close();
    expect(await apiServer.stop()).toBe(0);
    expect(await etcd.stop()).toBe(0);
    // Its own keys are in the folder that the test environment removes.
    expect(readdirSync(join(at.dir, 'annex')).sort()).toEqual(['admin.kubeconfig', 'pki']);
  });
});

function writeFiles({ accounts, dir, serving }: Environment, ca: string): void {
  mkdirSync(dir);
  const files = {
    'apiserver.crt': serving.certificate,
    'apiserver.key': serving.key,
    'client-ca.crt': ca,
    'sa-signer.crt': accounts.certificate,
    'sa-signer.key': accounts.key,
  };
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(dir, name), content, { mode: 0o600 });
}

const untilHealthy = (poll: () => Promise<{ health: string }>): Promise<boolean> =>
  vi.waitUntil(
    async () => {
      try {
        return (await poll()).health === 'true';
      } catch {
        return false;
      }
    },
    { timeout: patienceMs, interval: 20 },
  );
