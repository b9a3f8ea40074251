import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Credential, loadTestCA } from '@annex/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Runner } from '../runners/runner.ts';
import { startAnnex } from '../runners/start-annex.ts';
import { rawExchange } from './raw-connection.ts';

let annex: Runner;

beforeAll(async () => {
  annex = await startAnnex();
});
afterAll(() => annex.stop());

/** Paths of each app that only an administrator may get. */
const targets: Readonly<Record<string, string>> = {
  'core-api': '/api/v1/secrets',
  'crd-registry': '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
  authorization: '/apis/rbac.authorization.k8s.io/v1/clusterroles',
  discovery: '/metrics',
};

const masters = ['X-Remote-User: admin', 'X-Remote-Group: system:masters'];

/** Resolves to the status of an app's response. */
async function ask(app: string, as: Credential | undefined, headers: readonly string[]): Promise<number> {
  const url = annex.apps().get(app);
  if (url === undefined) throw new Error(`there is no app ${app}`);
  const head = [`GET ${targets[app]} HTTP/1.1`, 'Host: a', 'Connection: close', ...headers, '', ''];
  const { statuses } = await rawExchange(url, head.join('\r\n'), as === undefined ? {} : { as });
  return statuses[0] ?? 0;
}

const issued = (ca: string, commonName: string, ...organizations: string[]) =>
  loadTestCA(annex.pki, ca).issue({ commonName, organizations });

const fileOf = (name: string): Credential => ({
  certificate: readFileSync(join(annex.pki, `${name}.crt`), 'utf8'),
  key: readFileSync(join(annex.pki, `${name}.key`), 'utf8'),
});

it('every app that listens has its target here', () => {
  expect([...annex.apps().keys()].sort()).toEqual(expect.arrayContaining(Object.keys(targets).sort()));
});

describe.each(Object.keys(targets))('behind the front proxy %s', (app) => {
  it('trusts the front proxy', async () => {
    expect(await ask(app, fileOf('front-proxy-client'), masters)).toBe(200);
    const user = ['X-Remote-User: alice', 'X-Remote-Group: people'];
    expect(await ask(app, fileOf('front-proxy-client'), user)).toBe(403);
  });

  it.each<[string, () => Credential | undefined, readonly string[]]>([
    ['headers without a certificate', () => undefined, masters],
    ['an administrator of the cluster', () => fileOf('admin'), []],
    ['an administrator of the cluster with headers', () => fileOf('admin'), masters],
    ['the name of the front proxy from the cluster CA', () => issued('ca', 'front-proxy-client'), masters],
    ['another name from the front-proxy CA', () => issued('front-proxy-ca', 'somebody'), masters],
    ['the front proxy in other letters', () => issued('front-proxy-ca', 'Front-Proxy-Client'), masters],
    ['the front proxy and a NUL', () => issued('front-proxy-ca', 'front-proxy-client\0'), masters],
    ['the front proxy as a group', () => issued('front-proxy-ca', '', 'front-proxy-client'), masters],
    ['the front proxy of yesterday', () => expired(), masters],
    ['the front proxy as a server', () => asServer(), masters],
    ['the certificate of a server', () => fileOf('core-api'), masters],
    ['a token', () => undefined, ['Authorization: Bearer x', ...masters]],
    ['a group without a user', () => fileOf('front-proxy-client'), ['X-Remote-Group: system:masters']],
    [
      'an empty user',
      () => fileOf('front-proxy-client'),
      ['X-Remote-User:', 'X-Remote-Group: system:masters'],
    ],
    [
      'underscores',
      () => fileOf('front-proxy-client'),
      ['X_Remote_User: admin', 'X_Remote_Group: system:masters'],
    ],
    [
      'impersonation by a user',
      () => fileOf('front-proxy-client'),
      ['X-Remote-User: alice', 'Impersonate-User: admin', 'Impersonate-Group: system:masters'],
    ],
    [
      'a second user',
      () => fileOf('front-proxy-client'),
      ['X-Remote-User: alice', 'X-Remote-User: admin', 'X-Remote-Group: people'],
    ],
  ])('does not believe %s', async (_name, as, headers) => {
    expect([401, 403]).toContain(await ask(app, as(), headers));
  });
});

const day = 86_400_000;
const expired = () =>
  loadTestCA(annex.pki, 'front-proxy-ca').issue({
    commonName: 'front-proxy-client',
    notBefore: new Date(Date.now() - 2 * day),
    notAfter: new Date(Date.now() - day),
  });
const asServer = () =>
  loadTestCA(annex.pki, 'front-proxy-ca').issue({
    commonName: 'front-proxy-client',
    server: true,
    dnsNames: ['front-proxy-client'],
  });
