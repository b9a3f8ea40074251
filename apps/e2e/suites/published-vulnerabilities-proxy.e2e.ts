import type { TLSSocket } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type HostileServer, startHostile } from './hostile-server.ts';
import { type RawExtension, startRawExtension } from './raw-extension.ts';

// Reproduces published vulnerabilities of proxies in front of extension servers, which docs/reference/attacks.md describes.

let server: HostileServer;
let extension: RawExtension;
beforeAll(async () => {
  server = await startHostile();
  extension = await startRawExtension(server, 'raw.example.com');
});
afterAll(async () => {
  const leaks = server.leaks();
  await extension[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
  expect(leaks).toEqual([]);
});
afterEach(async () => {
  expect(await server.ask({ path: '/readyz' })).toMatchObject({ status: 200, text: 'ok' });
});

const body = '{"kind":"Raw"}';
const good = (socket: TLSSocket) =>
  void socket.write(
    `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
const rbac = '/apis/rbac.authorization.k8s.io/v1';
const things = () => `${extension.root}/things`;
const get = (path: string, ...headers: string[]) =>
  ['GET ' + path + ' HTTP/1.1', 'Host: annex', ...headers, '', ''].join('\r\n');

/** Sends bytes as the administrator; resolves to the heads that the extension server received, and to the response. */
async function play(bytes: string, respond: (socket: TLSSocket, head: string) => void = good) {
  extension.seen();
  extension.respond(respond);
  const { text, statuses } = await server.raw(bytes);
  extension.respond(good);
  return { text, statuses, seen: extension.seen() };
}

describe('upgrades', () => {
  const upgrade = () => get(`${extension.root}/things/a/exec`, 'Connection: Upgrade', 'Upgrade: websocket');
  const smuggled = () => get(`${extension.root}/secrets`, 'X-Remote-User: admin');

  it.each([
    [
      'CVE-2018-1002105: an error in response to an upgrade',
      'HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\n{}',
    ],
    ['CVE-2018-1002105: a success without an upgrade', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}'],
  ])('%s opens no way to the extension server', async (_what, response) => {
    const { seen } = await play(upgrade() + smuggled(), (socket) => void socket.write(response));
    // The second request may only arrive as a separate request, with the identity of its user.
    for (const head of seen.slice(1)) expect(head).not.toMatch(/^x-remote-user: admin$/im);
    expect(seen.filter((head) => head.includes('/exec'))).toHaveLength(1);
  });

  it.each([301, 302, 303, 307, 308])(
    'CVE-2020-8559, CVE-2018-1002102: a redirect of an upgrade, %i, is neither followed nor passed on',
    async (status) => {
      const location = `Location: ${things()}/elsewhere`;
      const { seen, text } = await play(
        upgrade(),
        (socket) => void socket.write(`HTTP/1.1 ${status} Go\r\n${location}\r\nContent-Length: 0\r\n\r\n`),
      );
      expect(seen).toHaveLength(1);
      expect(text).not.toMatch(/^location:/im);
    },
  );
});

describe('responses', () => {
  it.each([301, 302, 303, 307, 308])(
    'CVE-2022-3172: a redirect, %i, does not reach the client',
    async (status) => {
      const { statuses, text } = await play(
        get(things(), 'Connection: close'),
        (socket) =>
          void socket.write(
            `HTTP/1.1 ${status} Go\r\nLocation: https://evil.example/\r\nContent-Length: 0\r\n\r\n`,
          ),
      );
      expect(statuses).toEqual([502]);
      expect(text).not.toContain('evil.example');
    },
  );

  it('CVE-2016-2216: letters whose low byte is a line break end no header', async () => {
    const { text } = await play(
      get(things(), 'Connection: close'),
      (socket) =>
        void socket.write(
          Buffer.from(
            `HTTP/1.1 200 OK\r\nX-A: \u010d\u010aSet-Cookie: a=b\r\nContent-Length: 2\r\n\r\n{}`,
            'utf8',
          ),
        ),
    );
    expect(text).not.toMatch(/^set-cookie/im);
  });

  it('CVE-2025-61724: a head of many lines is read or refused, and others are served', async () => {
    const lines = ' folded\r\n'.repeat(100_000);
    const { statuses } = await play(
      get(things(), 'Connection: close'),
      (socket) => void socket.end(`HTTP/1.1 200 OK\r\nX-A: b\r\n${lines}Content-Length: 2\r\n\r\n{}`),
    );
    expect([[200], [502], [503]]).toContainEqual(statuses);
  });

  it('CVE-2024-24791: a final response to an expectation leaves the next requests alone', async () => {
    const expecting = [
      `POST ${things()} HTTP/1.1`,
      'Host: annex',
      'Content-Type: application/json',
      'Content-Length: 2',
      'Expect: 100-continue',
      '',
      '',
    ].join('\r\n');
    for (let i = 0; i < 5; i++) {
      const refused =
        'HTTP/1.1 403 Forbidden\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}';
      await play(expecting, (socket) => void socket.write(refused));
      const { status, text } = await server.ask({ path: things() });
      expect({ status, text }).toEqual({ status: 200, text: body });
    }
  });
});

describe('requests that are forwarded', () => {
  const lineOf = (head = '') => head.split('\r\n')[0];

  it('CVE-2021-33197: headers of the front proxy cannot be removed by Connection', async () => {
    const names = 'X-Remote-User, X-Remote-Group, X-Forwarded-For, Host, Content-Length';
    const { seen } = await play(get(things(), `Connection: close, ${names}`));
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatch(/^x-remote-user: admin$/im);
    expect(seen[0]).toMatch(/^x-forwarded-for: /im);
  });

  it.each([
    ['a semicolon', 'a=1;fieldSelector=b'],
    ['an escape that is none', 'a=1&fieldSelector=%zz'],
    ['a name that is none', 'a=1&%zz=b'],
  ])(
    'CVE-2022-2880: of a query with %s nothing is sent on that the front proxy did not read',
    async (_what, query) => {
      const { seen } = await play(get(`${things()}?${query}`, 'Connection: close'));
      expect(seen.map(lineOf)).toEqual([`GET ${things()}${query.startsWith('a=1&') ? '?a=1' : ''} HTTP/1.1`]);
    },
  );

  it('CVE-2026-39825, CVE-2025-61726: parameters behind the 10,000th do not get past authorization', async () => {
    await server.make('POST', `${rbac}/clusterroles`, {
      metadata: { name: 'list-raw' },
      rules: [{ apiGroups: ['raw.example.com'], resources: ['things'], verbs: ['list'] }],
    });
    await server.make('POST', `${rbac}/clusterrolebindings`, {
      metadata: { name: 'list-raw' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'list-raw' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'lister' }],
    });
    const as = { user: 'lister' };
    expect((await server.ask({ as, path: things() })).status).toBe(200);
    extension.seen();
    await server.ask({ as, path: `${things()}?${'a&'.repeat(10_050)}watch=true` });
    for (const head of extension.seen()) expect(lineOf(head)?.includes('watch')).toBe(false);
  });

  it.each([
    ['a path', 'annex/../x'],
    ['a query', 'annex?x=y'],
    ['a user', 'admin@annex'],
    ['spaces', 'annex other'],
  ])('CVE-2023-29406: a Host with %s does not reach the extension server', async (_what, host) => {
    const { seen } = await play(get(things(), 'Connection: close').replace('Host: annex', `Host: ${host}`));
    for (const head of seen) expect(/^host: (.*)$/im.exec(head)?.[1]).not.toBe(host);
  });

  it('CVE-2018-12116: letters whose low byte is a line break split no request', async () => {
    const { seen } = await play(
      get(`${things()}/\u010d\u010aX-Remote-User:\u0120admin\u010d\u010a`, 'Connection: close'),
    );
    expect(seen.length).toBeLessThanOrEqual(1);
    for (const head of seen) expect(head.match(/^x-remote-user:/gim)).toHaveLength(1);
  });
});
