import { once } from 'node:events';
import { connect } from 'node:http2';
import { request } from 'node:https';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTestCA, type RunningProcess, startProcess, tempFolder } from '@annex/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { objectStorageProcess } from './run.fixture.ts';

// Reproduces published vulnerabilities of etcd and gRPC, which docs/reference/attacks.md describes.

const folder = tempFolder();
const ca = createTestCA('etcd-ca');
const serving = ca.issue({ commonName: 'object-storage', ipAddresses: ['127.0.0.1'] });
const client = ca.issue({ commonName: 'apiserver-etcd-client' });
const stranger = createTestCA('other-ca').issue({ commonName: 'apiserver-etcd-client' });

let running: RunningProcess;
let url: string;
beforeAll(async () => {
  const file = (name: string, content: string) => {
    const path = join(folder.path, name);
    writeFileSync(path, content, { mode: 0o600 });
    return path;
  };
  running = await startProcess(process.execPath, {
    args: [
      ...objectStorageProcess,
      `--data-dir=${join(folder.path, 'data')}`,
      '--listen-client-urls=https://127.0.0.1:0',
      '--listen-metrics-urls=http://127.0.0.1:0',
      `--cert-file=${file('server.crt', serving.certificate)}`,
      `--key-file=${file('server.key', serving.key)}`,
      `--trusted-ca-file=${file('ca.crt', ca.certificate)}`,
      '--client-cert-auth',
    ],
    until: /^object-storage is ready in \S+ s: (\S+) (\S+)$/,
  });
  url = running.ready![1]!;
});
afterAll(async () => {
  await running.stop();
  folder[Symbol.dispose]();
});

const tls = (credential?: typeof client) => ({
  ca: ca.certificate,
  ...(credential === undefined ? {} : { cert: credential.certificate, key: credential.key }),
});

/** Resolves to the status code of a call, from HTTP/2 or gRPC. */
async function call(path: string, credential?: typeof client): Promise<string> {
  const session = connect(url, tls(credential));
  const failed = new Promise<string>((resolve) =>
    session.once('error', () => resolve('refused')).once('close', () => resolve('refused')),
  );
  try {
    const stream = session.request({
      ':method': 'POST',
      ':path': path,
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    stream.on('error', () => undefined).end(Buffer.alloc(5));
    const responded = once(stream, 'response').then(
      ([headers]) => `grpc ${String((headers as Record<string, unknown>)['grpc-status'] ?? 0)}`,
      () => 'refused',
    );
    return await Promise.race([responded, failed]);
  } finally {
    session.destroy();
  }
}

it('a client with a certificate is served', async () => {
  expect(await call('/etcdserverpb.Maintenance/Status', client)).toBe('grpc 0');
});

it.each([
  ['CVE-2018-16886: a client without a certificate is rejected', undefined],
  ['CVE-2018-16886: a client with the right name of another CA is rejected', stranger],
])('%s', async (_what, credential) => {
  expect(await call('/etcdserverpb.Maintenance/Status', credential)).toBe('refused');
});

// Every client with a certificate has all permissions: there are no users whose permissions a call could bypass.
it.each(['Auth/AuthEnable', 'Auth/UserAdd', 'Auth/Authenticate', 'Cluster/MemberAdd'])(
  'CVE-2026-33413, CVE-2026-33343, CVE-2026-44283, CVE-2026-73499: %s is not implemented',
  async (method) => {
    expect(await call(`/etcdserverpb.${method}`, client)).toBe('grpc 12');
  },
);

it.each(['etcdserverpb.KV/Range', '//etcdserverpb.KV/Range', '/etcdserverpb.KV/Range/', '*'])(
  'CVE-2026-33186: the path %s calls no method',
  async (path) => {
    expect(['grpc 12', 'refused']).toContain(await call(path, client));
  },
);

it('CVE-2018-1098, CVE-2018-1099: requests that a browser can send, JSON over HTTP/1.1, are not served', async () => {
  const sent = request(`${url}/v3/kv/range`, { ...tls(client), method: 'POST', agent: false });
  const outcome = new Promise<number | string>((resolve) => {
    sent.once('response', ({ statusCode }) => resolve(statusCode ?? 0));
    sent.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code ?? 'error'));
  });
  sent.end('{"key":"AA=="}');
  expect([
    403,
    404,
    'ECONNRESET',
    'EPROTO',
    'HPE_INVALID_CONSTANT',
    'ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL',
  ]).toContain(await outcome);
});
