import { once } from 'node:events';
import { type ClientHttp2Session, constants, connect as connectHttp2 } from 'node:http2';
import { connect, type TLSSocket } from 'node:tls';
import { anonymousUser, issueServingCertificate, createCA } from '@annex/auth';
import { systemClock } from '@annex/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Listener, livenessTimes } from '@annex/http';
import type { RequestContext } from '@annex/kinds';
import { type ApiListenerOptions, createApiListener } from './api-listener.ts';
import { deadline } from './steps/deadline.ts';
import { authenticate } from './steps/authenticate.ts';

let pair: { cert: string; key: string };
const started: Listener[] = [];

beforeAll(async () => {
  const ca = await createCA('ca');
  pair = await issueServingCertificate(ca, { commonName: 'a', subjectAltNames: ['127.0.0.1'] });
});
afterAll(() => Promise.all(started.map((listener) => listener.stop(0))));

const mib = 1024 * 1024;
const named = (name: string) => ({ name, groups: [], extra: {} });

/** Responds with the user and the headers that it read; `/held` sends only the head of a response. */
function respond({ req, res, user }: RequestContext): void {
  res.writeHead(200);
  if (req.url === '/held') res.flushHeaders();
  else res.end(`${user.name} ${String(req.headers['impersonate-user'])}`);
}

/** Starts a listener that uses the Authorization header as the name of a user. Resolves to its port. */
async function listen(options: Partial<ApiListenerOptions> = {}): Promise<number> {
  const authenticator = {
    name: 'test',
    authenticate: ({ headers }: { headers: { authorization?: string | undefined } }) => ({
      user: named(headers.authorization ?? anonymousUser),
      by: 'test',
    }),
  };
  const listener = createApiListener({
    bindAddress: '127.0.0.1',
    port: 0,
    certificate: pair.cert,
    key: pair.key,
    clock: systemClock,
    steps: [authenticate(authenticator), { name: 'respond', run: respond }],
    ...options,
  });
  started.push(listener);
  return await listener.start();
}

async function dial(port: number, protocol = 'http/1.1'): Promise<TLSSocket> {
  const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false, ALPNProtocols: [protocol] });
  socket.on('error', () => undefined);
  await once(socket, 'secureConnect');
  return socket;
}

const session = (port: number): ClientHttp2Session =>
  connectHttp2(`https://127.0.0.1:${port}`, { rejectUnauthorized: false }).on('error', () => undefined);

/** Returns the status and the text of a response over HTTP/2, or the error of its stream. */
async function ask(client: ClientHttp2Session, headers: Record<string, string | string[]>): Promise<string> {
  const stream = client.request({ ':path': '/', ...headers });
  try {
    const [{ ':status': status }] = (await once(stream, 'response')) as [Record<string, unknown>];
    return `${String(status)} ${Buffer.concat(await stream.toArray()).toString()}`;
  } catch (error) {
    return (error as Error).message;
  }
}

// The limit: maxRequestHeadLines.
describe('a request with very many headers', () => {
  const shown = '200 alice bob';
  const tooMany = '431 431 Request Header Fields Too Large';
  const reset = 'Stream closed with error code NGHTTP2_ENHANCE_YOUR_CALM';
  const cases = [998, 999, 1000, 1001, 1002, 1003, 2000, 2001, 2002, 2003, 4001];

  it.each(cases)('is served with all of them over HTTP/1.1 or refused: %i', async (count) => {
    const port = await listen();
    const socket = await dial(port);
    const lines = ['Host: a', 'Connection: close', 'Authorization: alice'];
    while (lines.length < count - 1) lines.push('a: b');
    lines.push('Impersonate-User: bob');
    // In two packets, because Node parses such heads differently.
    const head = `GET / HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
    socket.write(head.slice(0, 100), () => socket.write(head.slice(100)));
    const text = Buffer.concat(await socket.toArray()).toString();
    expect(text).toContain(count <= 1000 ? '\r\nalice bob\r\n' : 'HTTP/1.1 431 ');
  });

  it.each(cases)('is served with all of them over HTTP/2 or refused: %i', async (count) => {
    const client = session(await listen());
    // In addition to the four pseudo-headers of HTTP/2.
    const others = Array.from({ length: count - 6 }, () => 'b');
    const text = await ask(client, { authorization: 'alice', a: others, 'impersonate-user': 'bob' });
    client.destroy();
    if (count <= 1000) expect(text).toBe(shown);
    else expect([tooMany, reset]).toContain(text);
  });

  it('is not served as the first of two users', async () => {
    const client = session(await listen());
    const others = Array.from({ length: 990 }, () => 'b');
    const text = await ask(client, { authorization: 'alice', a: others, 'impersonate-user': ['bob', 'eve'] });
    client.destroy();
    expect(text).toBe('200 alice bob, eve');
  });
});

describe('an HTTP/2 connection', () => {
  // The limit: --http2-max-streams-per-connection.
  it('with more streams than allowed refuses the further ones', async () => {
    const client = session(await listen({ maxStreamsPerConnection: 2 }));
    // The requests are sent before the client has the settings of the server.
    const outcomes = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const stream = client.request({ ':path': '/held', authorization: 'alice' });
        stream.on('error', () => undefined);
        const closed = new Promise((resolve) => stream.once('close', () => resolve(stream.rstCode)));
        const served = new Promise((resolve) => stream.once('response', () => resolve('served')));
        return await Promise.race([served, closed]);
      }),
    );
    const refused = constants.NGHTTP2_REFUSED_STREAM;
    expect(outcomes).toEqual(['served', 'served', refused, refused]);
    client.destroy();
  });

  it('without a stream is closed after the idle timeout, one with a stream stays open', async () => {
    const liveness = { ...livenessTimes, idleMs: 50, unauthenticatedIdleMs: 20 };
    const port = await listen({ liveness });
    const silent = session(port);
    const idle = session(port);
    const busy = session(port);
    const held = busy.request({ ':path': '/held', authorization: 'alice' });
    const ended = Promise.all([once(idle, 'goaway'), once(idle, 'close'), once(silent, 'close')]);
    await Promise.all([once(held, 'response'), ask(idle, { authorization: 'alice' })]);
    const [[code]] = await ended;
    expect(code).toBe(0);
    expect(await ask(busy, { authorization: 'alice' })).toBe('200 alice undefined');
    busy.destroy();
  });

  it('without an authenticated user is closed after its request', async () => {
    const client = session(await listen());
    const closed = once(client, 'close');
    expect(await ask(client, {})).toBe(`200 ${anonymousUser} undefined`);
    await closed;
  });
});

// The limit: maxUnsentBytesPerConnection.
describe('a client that does not read', () => {
  it('is disconnected when 64 MiB of responses wait for it, and others are served', async () => {
    const port = await listen({
      steps: [
        deadline(60_000),
        {
          name: 'respond',
          run: ({ req, res }) => void res.end(req.url === '/' ? 'here' : Buffer.alloc(mib)),
        },
      ],
    });
    const client = connectHttp2(`https://127.0.0.1:${port}`, {
      rejectUnauthorized: false,
      settings: { initialWindowSize: 0 },
    });
    client.on('error', () => undefined);
    const closed = new Promise((resolve) => client.once('close', resolve));
    for (let i = 0; i < 100; i++) client.request({ ':path': '/large' }).on('error', () => undefined);
    await closed;
    expect(await ask(session(port), {})).toBe('200 here');
  });
});

describe('connections', () => {
  // The limit: `--max-connections`.
  it('of users stay open while others open and close', async () => {
    const port = await listen({ connectionLimits: { maxConnections: 8, maxConnectionsPerAddress: 8 } });
    const user = session(port);
    await ask(user, { authorization: 'alice' });
    for (let i = 0; i < 20; i++) await dial(port);
    expect(await ask(user, { authorization: 'alice' })).toBe('200 alice undefined');
    user.destroy();
  });

  it('that are closed are not counted', async () => {
    const port = await listen({ connectionLimits: { maxConnections: 2, maxConnectionsPerAddress: 0 } });
    for (let i = 0; i < 10; i++) {
      const user = session(port);
      expect(await ask(user, { authorization: 'alice' })).toBe('200 alice undefined');
      user.close();
      await once(user, 'close');
    }
  });
});
