import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { connect } from 'node:http2';
import { request } from 'node:https';
import type { Server } from 'node:https';
import type { Duplex } from 'node:stream';
import { documentedSteps } from '@annex/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ServerDeps } from '@annex/server';
import {
  type Seen,
  type TestPki,
  echo,
  externalService,
  makeDeps,
  makePki,
  register,
  startExtension,
  startFront,
  whenReason,
} from './forward.fixture.ts';
import { forwardSteps } from './forward-path.ts';

let pki: TestPki;
let deps: ServerDeps;
let front: Awaited<ReturnType<typeof startFront>>;
const servers: Server[] = [];

async function extension(group: string, response: Parameters<typeof startExtension>[1]) {
  const { port, server } = await startExtension(pki, (req, res) => {
    // The availability check requests this; all other requests are those of the test.
    if (req.url === `/apis/${group}/v1` && req.headers['x-remote-user'] === 'system:kube-aggregator')
      res.end('{}');
    else response(req, res);
  });
  servers.push(server);
  await register(deps, { group, port, ca: pki.ca.cert });
  await whenReason(deps, group, 'Passed');
  return { port, server };
}

interface Got {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

interface Ask {
  method?: string;
  headers?: Record<string, string | string[]>;
  body?: string;
}

async function ask(path: string, { method = 'GET', headers = {}, body }: Ask = {}): Promise<Got> {
  const sent = request({
    host: '127.0.0.1',
    port: front.port,
    path,
    method,
    headers,
    rejectUnauthorized: false,
  });
  sent.end(body);
  const [res] = (await once(sent, 'response')) as [IncomingMessage];
  let text = '';
  for await (const chunk of res) text += (chunk as Buffer).toString();
  return { status: res.statusCode ?? 0, headers: res.headers, body: text };
}

beforeAll(async () => {
  pki = await makePki();
  deps = makeDeps();
  await externalService(deps, 'ext');
  front = await startFront(deps, pki);
});

afterAll(async () => {
  for (const server of servers) server.closeAllConnections();
  for (const server of servers) server.close();
  await front.stop();
});

it('executes the forward path in the documented order', () => {
  const names = forwardSteps({} as Parameters<typeof forwardSteps>[0]).map(({ name }) => name);
  expect(names).toEqual(documentedSteps('forward'));
});

describe('a proxied request', () => {
  let port: number;
  const seenOf = async (path: string, options: Ask = {}): Promise<Seen> =>
    JSON.parse((await ask(path, options)).body) as Seen;
  beforeAll(async () => ({ port } = await extension('echo.example.com', echo)));

  it('AGG-001 AGG-008 presents the proxy client certificate', async () => {
    expect((await seenOf('/apis/echo.example.com/v1/echoes')).clientCN).toBe('front-proxy-client');
  });

  it('AGG-015 AGG-018 carries the user, its groups and extras', async () => {
    const { headers } = await seenOf('/apis/echo.example.com/v1/echoes');
    expect(headers['x-remote-group']).toEqual(['dev', 'system:authenticated']);
    expect(headers['x-remote-uid']).toEqual(['u-1']);
    expect(headers['x-remote-extra-example.com%2fscopes']).toEqual(['a', 'b']);
    expect(Buffer.from(headers['x-remote-user']?.[0] ?? '', 'latin1').toString()).toBe('jané');
  });

  it('AGG-020 carries no identity headers and no credentials of the client', async () => {
    const { headers } = await seenOf('/apis/echo.example.com/v1/echoes', {
      headers: {
        'X-Remote-User': 'admin',
        'X-Remote-Group': ['system:masters'],
        'X-Remote-Extra-Evil': 'x',
        'X-Remote-Uid': 'root',
        Authorization: 'Bearer secret',
      },
    });
    expect(headers['x-remote-group']).toEqual(['dev', 'system:authenticated']);
    expect(headers['x-remote-uid']).toEqual(['u-1']);
    expect(Object.keys(headers)).not.toContain('x-remote-extra-evil');
    expect(Object.keys(headers)).not.toContain('authorization');
  });

  it('carries the headers of forwarding', async () => {
    const { headers } = await seenOf('/apis/echo.example.com/v1/a%20b%2Fc?z=1&a=2', {
      headers: { 'X-Forwarded-For': '10.1.1.1' },
    });
    expect(headers).toMatchObject({
      host: [`localhost:${port}`],
      'x-forwarded-host': [`localhost:${port}`],
      'x-forwarded-proto': ['https'],
      'x-forwarded-uri': ['/apis/echo.example.com/v1/a%20b/c'],
      'x-forwarded-for': ['10.1.1.1, 127.0.0.1'],
    });
  });

  it('has the path decoded and the query sorted, as Go sends them', async () => {
    const seen = await seenOf('/apis/echo.example.com/v1/a%20b%2Fc/?z=1&a=2&flag');
    expect(seen.url).toBe('/apis/echo.example.com/v1/a%20b/c/?a=2&flag=&z=1');
  });

  it('drops connection headers, and keeps cookies and repeated headers', async () => {
    const { headers } = await seenOf('/apis/echo.example.com/v1/echoes', {
      headers: {
        Connection: 'close, X-Hop',
        'X-Hop': '1',
        TE: 'trailers',
        Cookie: 'a=1',
        'X-Custom': ['1', '2'],
      },
    });
    expect(headers['x-hop']).toBeUndefined();
    expect(headers.te).toEqual(['trailers']);
    expect(headers.cookie).toEqual(['a=1']);
    expect(headers['x-custom']).toEqual(['1', '2']);
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])('passes the body of %s', async (method) => {
    const body = 'x'.repeat(300_000);
    const headers = { 'Content-Type': 'text/plain', 'Content-Length': String(body.length) };
    const seen = await seenOf('/apis/echo.example.com/v1/echoes', { method, body, headers });
    expect(seen.method).toBe(method);
    expect(seen.body).toBe(body);
    expect(seen.headers['content-type']).toEqual(['text/plain']);
  });

  it('works over HTTP/2, with and without a body', async () => {
    const session = connect(`https://127.0.0.1:${front.port}`, { rejectUnauthorized: false });
    const send = async (method: string, body: string | undefined): Promise<Seen> => {
      const stream = session.request(
        { ':path': '/apis/echo.example.com/v1/echoes', ':method': method, cookie: ['a=1', 'b=2'] },
        { endStream: body === undefined },
      );
      if (body !== undefined) stream.end(body);
      let text = '';
      for await (const chunk of stream) text += (chunk as Buffer).toString();
      return JSON.parse(text) as Seen;
    };
    const posted = await send('POST', 'hello');
    expect(posted.body).toBe('hello');
    expect(posted.headers.cookie).toEqual(['a=1; b=2']);
    expect((await send('GET', undefined)).headers['transfer-encoding']).toBeUndefined();
    session.close();
  });

  it('AGG-005 is not sent for versions that are not registered', async () => {
    expect((await ask('/apis/echo.example.com/v2/echoes')).body).toBe('served here\n');
    expect((await ask('/api/v1/pods')).body).toBe('served here\n');
  });
});

describe('the response of an extension server', () => {
  const responses: Record<string, (res: ServerResponse) => void> = {
    '/302': (res) => res.writeHead(302, { location: 'https://elsewhere.example.com/x' }).end('{}'),
    '/202': (res) =>
      res.writeHead(202, { location: '/apis/ans.example.com/v1/jobs/1' }).end('{"accepted":1}'),
    '/429': (res) =>
      res.writeHead(429, { 'retry-after': '7', 'content-type': 'text/plain' }).end('slow down'),
    '/warn': (res) =>
      res
        .setHeader('warning', ['299 - "a"', '299 - "b"'])
        .writeHead(200, { 'x-hop': '1', connection: 'x-hop' })
        .end(),
    '/204': (res) => res.writeHead(204).end(),
    '/reset': (res) => res.destroy(),
    '/half': (res) => res.writeHead(200, { 'content-length': '10' }).write('123', () => res.destroy()),
  };
  let port: number;
  beforeAll(async () => {
    ({ port } = await extension('ans.example.com', (req, res) => {
      const name = Object.keys(responses).find((suffix) => req.url?.endsWith(suffix));
      if (name) responses[name]?.(res);
      else res.writeHead(404).end();
    }));
  });
  const get = (suffix: string) => ask(`/apis/ans.example.com/v1/things${suffix}`);

  it('is 502 if it is a redirect', async () => {
    const got = await get('/302');
    expect(got.status).toBe(502);
    expect(got.headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(got.headers.location).toBeUndefined();
    expect(got.body).toBe('the backend attempted to redirect this request, which is not permitted');
  });

  it('has a location without a host completed with the backend', async () => {
    const got = await get('/202');
    expect(got.status).toBe(202);
    expect(got.headers.location).toBe(`https://localhost:${port}/apis/ans.example.com/v1/jobs/1`);
  });

  it('keeps its status, headers and text', async () => {
    const got = await get('/429');
    expect([got.status, got.headers['retry-after'], got.headers['content-type'], got.body]).toEqual([
      429,
      '7',
      'text/plain',
      'slow down',
    ]);
    expect(got.headers['cache-control']).toBe('no-cache, private');
  });

  it('keeps warnings and drops connection headers', async () => {
    const got = await get('/warn');
    expect(got.headers.warning).toBe('299 - "a", 299 - "b"');
    expect(got.headers['x-hop']).toBeUndefined();
  });

  it('may have no body', async () => expect((await get('/204')).status).toBe(204));

  it('breaks off if the server breaks it off', async () => {
    // Go's servers do not send short responses before they are complete.
    await expect(get('/half')).rejects.toThrow('socket hang up');
  });

  it('is 503 if the connection breaks before it', async () => {
    const got = await get('/reset');
    expect([got.status, got.body]).toEqual([503, 'error trying to reach service: EOF\n']);
  });
});

describe('a watch', () => {
  it('is passed on event by event, over HTTP/2 too, and ends at the backend when the client disconnects', async () => {
    const next = Promise.withResolvers<() => void>();
    const closed = Promise.withResolvers<void>();
    await extension('strm.example.com', (req, res) => {
      res.writeHead(200, { 'content-type': 'application/json' });
      res.write('{"n":1}\n');
      res.once('close', () => closed.resolve());
      next.resolve(() => res.write('{"n":2}\n'));
    });
    const session = connect(`https://127.0.0.1:${front.port}`, { rejectUnauthorized: false });
    const stream = session.request({ ':path': '/apis/strm.example.com/v1/echoes?watch=1' });
    const [first] = (await once(stream, 'data')) as [Buffer];
    expect(first.toString()).toBe('{"n":1}\n');
    (await next.promise)();
    const [second] = (await once(stream, 'data')) as [Buffer];
    expect(second.toString()).toBe('{"n":2}\n');
    stream.close();
    await closed.promise;
    session.close();
  });

  it('is read from the backend no faster than the client reads it', async () => {
    let written = 0;
    const blocked = Promise.withResolvers<void>();
    await extension('slow.example.com', (req, res) => {
      const chunk = Buffer.alloc(64 * 1024, 'x');
      const fill = () => {
        for (;;) {
          written += chunk.length;
          if (!res.write(chunk)) break;
        }
        const wait = setTimeout(() => blocked.resolve(), 300);
        res.once('drain', () => {
          clearTimeout(wait);
          if (!res.destroyed) fill();
        });
      };
      fill();
    });
    const sent = request({
      host: '127.0.0.1',
      port: front.port,
      path: '/apis/slow.example.com/v1/echoes?watch=1',
      rejectUnauthorized: false,
    }).end();
    const [res] = (await once(sent, 'response')) as [IncomingMessage];
    res.pause();
    await blocked.promise;
    expect(written).toBeLessThan(64 * 1024 * 1024);
    res.destroy();
  });
});

describe('an upgrade', () => {
  it('connects the two sides', async () => {
    const { server } = await extension('up.example.com', echo);
    server.on('upgrade', (req: IncomingMessage, socket: Duplex) => {
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: test\r\nX-User: ${req.headers['x-remote-group']}\r\n\r\n`,
      );
      socket.pipe(socket);
    });
    const sent = request({
      host: '127.0.0.1',
      port: front.port,
      path: '/apis/up.example.com/v1/namespaces/default/echoes/a/exec',
      headers: { Connection: 'Upgrade', Upgrade: 'test' },
      rejectUnauthorized: false,
    }).end();
    const [res, socket] = (await once(sent, 'upgrade')) as [IncomingMessage, Duplex];
    expect(res.headers['x-user']).toBe('dev, system:authenticated');
    socket.write('ping');
    const [data] = (await once(socket, 'data')) as [Buffer];
    expect(data.toString()).toBe('ping');
    socket.destroy();
  });

  it('that the backend rejects gets the backend’s response', async () => {
    await extension('noup.example.com', (req, res) => res.writeHead(403).end('no'));
    const got = await ask('/apis/noup.example.com/v1/x', {
      headers: { Connection: 'Upgrade', Upgrade: 'test' },
    });
    expect([got.status, got.body]).toEqual([403, 'no']);
  });
});
