import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ClientConfigError } from './config.ts';
import { loadKubeconfig, parseKubeconfig } from './kubeconfig.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const config = (cluster: string, user: string) => `
apiVersion: v1
kind: Config
current-context: main
contexts:
- {name: main, context: {cluster: c, user: u, namespace: ns}}
- {name: other, context: {cluster: c, user: missing}}
clusters:
- {name: c, cluster: ${cluster}}
users:
- {name: u, user: ${user}}
`;

describe('a kubeconfig', () => {
  it('gives embedded certificates', async () => {
    const cluster = `{server: "https://h:1", certificate-authority-data: ${base64('CA')}, tls-server-name: api}`;
    const user = `{client-certificate-data: ${base64('CERT')}, client-key-data: ${base64('KEY')}}`;
    expect(await parseKubeconfig(config(cluster, user))).toEqual({
      server: 'https://h:1',
      ca: 'CA',
      tlsServerName: 'api',
      cert: 'CERT',
      key: 'KEY',
      namespace: 'ns',
    });
  });

  it('reads tokens and the impersonated user', async () => {
    const user = '{token: t, as: jane, as-groups: [dev], as-user-extra: {k: [v]}}';
    expect(await parseKubeconfig(config('{server: "https://h:1"}', user))).toMatchObject({
      token: 't',
      impersonate: { user: 'jane', groups: ['dev'], extra: { k: ['v'] } },
    });
  });

  it.each([
    ['an unknown context', config('{server: x}', '{}'), { context: 'none' }, 'no context "none"'],
    ['an unknown user', config('{server: x}', '{}'), { context: 'other' }, 'no user "missing"'],
    ['no server', config('{}', '{}'), {}, 'has no server'],
    [
      'a command to run',
      config('{server: x}', '{exec: {command: c}}'),
      {},
      'exec of the kubeconfig is not supported',
    ],
    [
      'a proxy of another scheme, whose password is not repeated',
      config('{server: x, proxy-url: "ftp://u:secret@p"}', '{}'),
      {},
      'invalid \'proxy-url\' "p" for cluster "c": unsupported scheme "ftp", must be http, https, socks5, or socks5h',
    ],
    ['an empty file', '', {}, 'the kubeconfig is empty'],
    ['a section that is not a list', '{contexts: {}}', {}, 'contexts of the kubeconfig is not a list'],
    ['an invalid entry', '{users: [null]}', {}, 'users[0] of the kubeconfig has no name'],
    [
      'a cluster that is a text',
      config('x', '{}'),
      {},
      'clusters[0].cluster of the kubeconfig is not an object',
    ],
    [
      'a token that is a number',
      config('{server: x}', '{token: 12}'),
      {},
      'users[0].user.token of the kubeconfig has an invalid type',
    ],
    [
      'groups that are not a list',
      config('{server: x}', '{as: a, as-groups: b}'),
      {},
      'users[0].user.as-groups of the kubeconfig has an invalid type',
    ],
  ])('with %s is refused with a reason', async (_, text, options, message) => {
    await expect(parseKubeconfig(text, options)).rejects.toThrow(ClientConfigError);
    await expect(parseKubeconfig(text, options)).rejects.toThrow(message);
  });
});

it.each([
  ['an https server gets the token', 'https://a', { token: 't', impersonate: { user: 'u' } }],
  ['an http server gets no token', 'HTTP://a', { impersonate: { user: 'u' } }],
])('%s', async (_, server, credentials) => {
  const user = '{token: t, username: a, password: b, as: u}';
  const { token, username, password, impersonate } = await parseKubeconfig(
    config(`{server: "${server}"}`, user),
  );
  const basic = 'token' in credentials ? { username: 'a', password: 'b' } : {};
  expect({ token, username, password, impersonate }).toEqual({ ...credentials, ...basic });
});

describe('files of a kubeconfig', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'annex-client-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  it('are found beside it, and a renewed token is read again', async () => {
    writeFileSync(join(folder, 'ca.crt'), 'CA');
    writeFileSync(join(folder, 'token'), 'one\n');
    const file = join(folder, 'config');
    writeFileSync(
      file,
      config('{server: "https://h:1", certificate-authority: ca.crt}', '{tokenFile: token}'),
    );
    const { ca, token } = await loadKubeconfig(file);
    expect(ca).toBe('CA');
    const read = token as () => string;
    expect(read()).toBe('one');
    writeFileSync(join(folder, 'token'), 'two\n');
    utimesSync(join(folder, 'token'), 1, 1);
    expect(read()).toBe('two');
  });

  it('that are missing are named', async () => {
    await expect(loadKubeconfig(join(folder, 'none'))).rejects.toThrow(
      /the kubeconfig .*none cannot be read/,
    );
  });
});
