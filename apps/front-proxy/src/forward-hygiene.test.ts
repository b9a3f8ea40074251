import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect } from 'node:http2';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { see, type Seen } from './forward.fixture.ts';
import { type Harness, startHarness } from './forward-harness.fixture.ts';

const path = '/apis/echo.example.com/v1/echoes';

let harness: Harness;
let seen: Seen;

beforeAll(async () => {
  harness = await startHarness();
  await harness.extension('echo.example.com', async (req, res) => {
    const whole = await see(req).catch(() => undefined);
    // A request that broke off.
    if (whole === undefined) return;
    seen = whole;
    (responses[req.url?.split('/').at(-1) ?? ''] ?? plain)(res, req);
  });
});
afterAll(() => harness.stop());

const plain = (res: ServerResponse): void => void res.end('{}');

/** Responses of extension servers by the last path segment. Those that use `socket` violate HTTP. */
const responses: Record<string, (res: ServerResponse, req: IncomingMessage) => void> = {
  trailers(res) {
    res.writeHead(200, { trailer: 'X-Sum', 'content-type': 'text/plain' }).write('a');
    res.addTrailers({ 'X-Sum': '7', 'X-Unannounced': '1' });
    res.end();
  },
  hints: (res) => res.writeEarlyHints({ link: '</a>; rel=preload' }, () => res.end('x')),
  processing: (res) => {
    res.writeProcessing();
    res.end('x');
  },
  odd: (res) => res.writeHead(299, 'Whatever').end(),
  renamed: (res) => res.writeHead(200, 'Fine By Me').end(),
  cached: (res) => res.writeHead(200, { 'cache-control': 'max-age=9', 'audit-id': 'theirs' }).end(),
  crossed: (res) => res.writeHead(200, { 'access-control-allow-origin': '*' }).end(),
  nowhere: (res) => res.writeHead(303, { location: '' }).end('m'),
  elsewhere: (res) => res.writeHead(307, { location: 'https://example.com/' }).end('m'),
  switched: (_res, req) =>
    req.socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'),
  smuggled: (_res, req) =>
    req.socket.end(
      'HTTP/1.1 200 OK\r\nContent-Length: 30\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n',
    ),
  twice: (_res, req) => req.socket.end('HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'),
  coded: (_res, req) =>
    req.socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n1\r\na\r\n0\r\n\r\n'),
  unnumbered: (_res, req) => req.socket.end('HTTP/1.1 000 Zero\r\nContent-Length: 0\r\n\r\n'),
  deaf: (_res, req) => req.socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\n'),
  summed: (_res, req) =>
    req.socket.end('HTTP/1.1 200 OK\r\nTrailer: X-Sum\r\nTransfer-Encoding: chunked\r\n\r\n'),
  hollow: (_res, req) => req.socket.end('HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\n{}'),
  ssh: (_res, req) => req.socket.end('SSH-2.0-OpenSSH_9.9\r\n'),
};

const send = async (lines: string[], end = path, method = 'GET', body = ''): Promise<string> =>
  harness.raw([`${method} ${end} HTTP/1.1`, 'Host: h', 'Connection: close', ...lines, '', body].join('\r\n'));

describe('a header of the client', () => {
  const identity = {
    'x-remote-user': ['janÃ©'],
    'x-remote-group': ['dev', 'system:authenticated'],
    'x-remote-uid': ['u-1'],
    'x-remote-extra-example.com%2fscopes': ['a', 'b'],
  };
  const cases: [name: string, lines: string[], arrives: Record<string, string[] | undefined>][] = [
    [
      'that Connection names is not forwarded',
      ['Connection: X-Hop, X-Other', 'X-Hop: 1', 'X-Other: 2', 'X-End: 3'],
      { 'x-hop': undefined, 'x-other': undefined, 'x-end': ['3'], connection: undefined },
    ],
    [
      'for proxies is not forwarded',
      ['Proxy-Authorization: Basic abc', 'Proxy-Connection: x', 'Keep-Alive: timeout=5', 'Trailer: X-T'],
      {
        'proxy-authorization': undefined,
        'proxy-connection': undefined,
        'keep-alive': undefined,
        trailer: undefined,
      },
    ],
    ['TE is forwarded as trailers', ['TE: deflate, trailers'], { te: ['trailers'] }],
    ['TE without trailers is not forwarded', ['TE: deflate'], { te: undefined }],
    [
      'Upgrade without Connection requests no upgrade',
      ['Upgrade: h2c', 'HTTP2-Settings: AA'],
      { upgrade: undefined },
    ],
    ['Authorization is not forwarded', ['Authorization: Bearer secret'], { authorization: undefined }],
    [
      'Accept-Encoding is that of the client',
      ['Accept-Encoding: gzip;q=0.1'],
      { 'accept-encoding': ['gzip;q=0.1'] },
    ],
    ['Accept-Encoding is not added', [], { 'accept-encoding': undefined }],
    [
      'that claims an identity is replaced, in any spelling',
      [
        'X-Remote-User: root',
        'x-remote-group: system:masters',
        'X-REMOTE-UID: 0',
        'X-Remote-Extra-Scopes: all',
        'X-Remote-Extra-: x',
      ],
      { ...identity, 'x-remote-extra-scopes': undefined, 'x-remote-extra-': undefined },
    ],
    [
      'that names an identity header in Connection does not remove it',
      ['Connection: X-Remote-User, X-Remote-Group'],
      identity,
    ],
    ['Audit-ID is that of the request', ['Audit-ID: mine'], { 'audit-id': ['mine'] }],
    [
      'of forwarding is replaced, except for the addresses',
      [
        'X-Forwarded-For: 10.0.0.1',
        'X-Forwarded-For: 10.0.0.2',
        'X-Forwarded-Host: evil',
        'X-Forwarded-Proto: http',
        'X-Forwarded-Uri: /evil',
      ],
      {
        'x-forwarded-for': ['10.0.0.1, 10.0.0.2, 127.0.0.1'],
        'x-forwarded-proto': ['https'],
        'x-forwarded-uri': [path],
      },
    ],
    ['Cookie is forwarded unchanged', ['Cookie: a=1', 'Cookie: b=2'], { cookie: ['a=1', 'b=2'] }],
    ['User-Agent may be missing', ['User-Agent:'], { 'user-agent': undefined }],
    ['Pragma is also sent as Cache-Control', ['Pragma: no-cache'], { 'cache-control': ['no-cache'] }],
    ['Content-Length of 0 is not sent with a GET', ['Content-Length: 0'], { 'content-length': undefined }],
    ['keeps bytes that are not ASCII', ['X-Name: caf\xe9'], { 'x-name': ['caf\xe9'] }],
  ];
  it.each(cases)('%s', async (_, lines, arrives) => {
    await send(lines);
    for (const [name, values] of Object.entries(arrives)) expect(seen.headers[name], name).toEqual(values);
  });

  it.each(['Content-Length: 2', 'Transfer-Encoding: chunked'])(
    'with an upgrade and %s is 400',
    async (line) => {
      const upgrade = ['Upgrade: websocket', 'Connection: Upgrade', line];
      const response = await harness.raw(
        [`POST ${path} HTTP/1.1`, 'Host: h', ...upgrade, '', '{}'].join('\r\n'),
      );
      expect(response).toMatch(/^HTTP\/1\.1 400 .*cannot have a body$/s);
    },
  );

  it.each(['POST', 'PUT', 'PATCH'])('announces that a %s has no body', async (method) => {
    await send([], path, method);
    expect(seen.headers['content-length']).toEqual(['0']);
  });

  it('that Connection names still frames the body: its content is not read as a request', async () => {
    const body = `GET ${path} HTTP/1.1\r\nHost: h\r\nX-Remote-User: root\r\n\r\n`;
    await send(['Connection: Content-Length', `Content-Length: ${body.length}`], path, 'POST', body);
    expect([seen.method, seen.headers['content-length'], seen.body]).toEqual([
      'POST',
      [String(body.length)],
      body,
    ]);
  });

  it.each([2, 79])(
    'over HTTP/2 that announces a length of %i is not followed by more bytes',
    async (length) => {
      seen = undefined as unknown as Seen;
      const session = connect(`https://127.0.0.1:${harness.port}`, { rejectUnauthorized: false });
      session.on('error', () => undefined);
      const body = `GET ${path} HTTP/1.1\r\nHost: h\r\nX-Remote-User: root\r\n\r\n`;
      const stream = session.request({ ':method': 'POST', ':path': path, 'content-length': length });
      stream.on('error', () => undefined).resume();
      stream.end(body.repeat(2));
      await new Promise((resolve) => stream.once('close', resolve));
      session.destroy();
      // The extension server received at most the announced request.
      expect((seen as Seen | undefined)?.method ?? 'POST').toBe('POST');
      expect(body.repeat(2).slice(0, length)).toContain((seen as Seen | undefined)?.body ?? '');
    },
  );

  it('Expect is handled here, and the body follows', async () => {
    const got = await send(['Expect: 100-continue', 'Content-Length: 3'], path, 'POST', 'abc');
    expect(got).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n/);
    expect([seen.body, seen.headers.expect]).toEqual(['abc', undefined]);
  });

  it.each([
    [`${path}/../secret`, '/apis/echo.example.com/v1/secret'],
    [`${path}//a/`, `${path}/a/`],
    [`${path}/%2e%2e/secret`, '/apis/echo.example.com/v1/secret'],
  ])('X-Forwarded-Uri of %s is a clean path', async (requested, uri) => {
    await send([], requested);
    expect(seen.headers['x-forwarded-uri']).toEqual([uri]);
  });
});

describe('a response', () => {
  const ask = (end: string) => send(['TE: trailers'], `${path}/${end}`);

  it('has the trailers that it announced, and no others', async () => {
    const got = await ask('trailers');
    expect(got).toContain('\r\ntrailer: X-Sum\r\n');
    expect(got).toMatch(/\r\n1\r\na\r\n0\r\nx-sum: 7\r\n\r\n$/i);
  });

  it.each([
    ['hints', /^HTTP\/1\.1 103 Early Hints\r\nLink: <\/a>; rel=preload\r\n\r\nHTTP\/1\.1 200 OK\r\n/],
    ['processing', /^HTTP\/1\.1 102 Processing\r\n\r\nHTTP\/1\.1 200 OK\r\n/],
  ])('follows interim responses: %s', async (end, text) => expect(await ask(end)).toMatch(text));

  it.each([
    ['renamed', 'HTTP/1.1 200 OK'],
    ['odd', 'HTTP/1.1 299 status code 299'],
  ])('has the status text of its code: %s', async (end, line) => {
    expect((await ask(end)).split('\r\n')[0]).toBe(line);
  });

  it('has Cache-Control and an audit id, in addition to those of the server', async () => {
    const got = await ask('cached');
    expect(got).toContain('\r\ncache-control: no-cache, private\r\ncache-control: max-age=9\r\n');
    expect(got).toMatch(/\r\naudit-id: [-0-9a-f]{36}\r\n[^]*\r\naudit-id: theirs\r\n/);
  });

  it('sets no CORS headers', async () => {
    expect(await ask('crossed')).not.toContain('access-control');
  });

  it('is not followed: a redirect is rejected, one without a location is passed on', async () => {
    expect(await ask('elsewhere')).toMatch(/^HTTP\/1\.1 502 Bad Gateway\r\n/);
    expect(await ask('nowhere')).toMatch(/^HTTP\/1\.1 303 See Other\r\n/);
  });

  it('cannot change the protocol without a request for it', async () => {
    const got = await ask('switched');
    expect(got).toMatch(/^HTTP\/1\.1 503 /);
    expect(got).toContain('backend tried to switch protocol "x" when "" was requested\n');
  });

  it('with two lengths is rejected', async () => {
    const got = await ask('twice');
    expect(got).toMatch(/^HTTP\/1\.1 503 /);
    expect(got).toContain('http: message cannot contain multiple Content-Length headers; got ["1" "2"]\n');
  });

  it('in chunks has no length, even with Content-Length', async () => {
    const got = await ask('smuggled');
    expect(got).not.toMatch(/content-length/i);
    expect(got).toMatch(/\r\n\r\n1\r\na\r\n0\r\n\r\n$/);
  });

  it.each([
    ['coded', 'unsupported transfer encoding: "gzip, chunked"\n'],
    ['deaf', 'internal error: 101 switching protocols response with non-writable body\n'],
  ])('that is ambiguous is rejected: %s', async (end, why) => {
    const got = await ask(end);
    expect(got).toMatch(/^HTTP\/1\.1 503 /);
    expect(got).toContain(why);
  });

  it('with a status that cannot be written ends the connection', async () =>
    expect(await ask('unnumbered')).toBe(''));

  it('without a body has no length and no trailers', async () => {
    expect(await ask('hollow')).not.toContain('content-length');
    const head = await send([], `${path}/summed`, 'HEAD');
    expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(head).not.toContain('sum');
  });

  it('that is not HTTP is quoted', async () => {
    expect(await ask('ssh')).toContain(
      'error trying to reach service: net/http: HTTP/1.x transport connection broken: ' +
        'malformed HTTP response "SSH-2.0-OpenSSH_9.9"\n',
    );
  });
});

it('AGG-016 AGG-017 AGG-018 the user is sent in the configured headers, and claims of the client are not', async () => {
  const custom = await startHarness({
    identityHeaders: {
      username: ['X-Custom-User', 'X-Second'],
      uid: ['X-Custom-Uid'],
      group: ['X-Custom-Group'],
      extraPrefix: ['X-Custom-Extra-'],
    },
  });
  let headers: Seen['headers'] = {};
  await custom.extension('custom.example.com', async (req, res) => {
    ({ headers } = await see(req));
    res.end('{}');
  });
  const claims = ['X-Custom-User: root', 'X-Second: root', 'X-Remote-User: root', 'X-Custom-Extra-A: b'];
  await custom.raw(
    [
      'GET /apis/custom.example.com/v1/echoes HTTP/1.1',
      'Host: h',
      'Connection: close',
      ...claims,
      '',
      '',
    ].join('\r\n'),
  );
  const names = Object.keys(headers).filter((name) => /custom|remote|second/.test(name));
  expect(names.sort()).toEqual([
    'x-custom-extra-example.com%2fscopes',
    'x-custom-group',
    'x-custom-uid',
    'x-custom-user',
  ]);
  expect(headers['x-custom-group']).toEqual(['dev', 'system:authenticated']);
  await custom.stop();
});
