import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { type IncomingMessage, type ServerResponse, createServer, get } from 'node:http';
import { connect, createServer as createHttp2Server } from 'node:http2';
import type { AddressInfo, Server } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createContext } from '@annex/kinds';
import { sendBody, sendPieces, sendText } from '../respond.ts';
import { type Step, composeSteps } from '../step.ts';
import { recoverFromErrors } from './recover-from-errors.ts';
import { deadline } from './deadline.ts';
import { parseRequest } from './parse-request.ts';
import { nullLogger } from '@annex/runtime';

const large = Buffer.alloc(32 * 1024 * 1024, 'a');
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** Serves a handler behind the step; resolves to the URL, and to how the first answer ended. */
async function serve(protocol: string, requestTimeoutMs: number, handler: Step['run']) {
  const steps = [
    recoverFromErrors(nullLogger),
    parseRequest,
    deadline(requestTimeoutMs),
    { name: 'answer', run: handler },
  ];
  const run = composeSteps(steps);
  const ended = Promise.withResolvers<'whole' | 'cut'>();
  const response = (req: IncomingMessage, res: ServerResponse) => {
    // The response of HTTP/2 says that it has finished however its stream ended.
    const { stream = res } = res as { stream?: { writableFinished: boolean } };
    res.once('close', () => ended.resolve(stream.writableFinished ? 'whole' : 'cut'));
    void run(createContext(req, res, Date.now()));
  };
  const server = protocol === 'HTTP/2' ? createHttp2Server(response as never) : createServer(response);
  servers.push(server as Server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, ended: ended.promise };
}

/** Asks and reads nothing but the head. */
const readers: Record<string, (url: string) => () => void> = {
  'HTTP/1.1': (url) => {
    const requested = get(url, (message) => message.pause().on('error', () => undefined));
    requested.on('error', () => undefined);
    return () => requested.destroy();
  },
  'HTTP/2': (url) => {
    const session = connect(url).on('error', () => undefined);
    session
      .request({ ':path': '/' })
      .on('error', () => undefined)
      .pause();
    return () => session.destroy();
  },
};

describe.each(Object.keys(readers))('%s: a client that does not read its answer', (protocol) => {
  it.each<[string, Step['run']]>([
    ['in one piece', (request) => sendBody(request, 200, 'text/plain', large)],
    ['in many', (request) => sendPieces(request, 200, { contentType: 'text/plain', pieces: [large, large] })],
  ])('is cut off when its time is over: %s', async (_name, handler) => {
    const { url, ended } = await serve(protocol, 200, handler);
    const close = (readers[protocol] as (url: string) => () => void)(url);
    expect(await ended).toBe('cut');
    close();
  });
});

it('what is not answered in time is answered 504', async () => {
  const { url } = await serve('HTTP/1.1', 50, () => new Promise<never>(() => undefined));
  const response = await fetch(url);
  expect([response.status, ((await response.json()) as { reason: string }).reason]).toEqual([504, 'Timeout']);
});

it('what is answered in time is whole', async () => {
  const { url, ended } = await serve('HTTP/1.1', 10_000, (request) => sendText(request, 200, 'ok'));
  expect(await (await fetch(url)).text()).toBe('ok');
  expect(await ended).toBe('whole');
});

describe('a request that says how long it may take', () => {
  const slow: Step['run'] = (request) =>
    new Promise<void>((resolve) => setTimeout(resolve, 2000).unref()).then(() =>
      sendText(request, 200, 'late'),
    );
  const quick: Step['run'] = async (request) => sendText(request, 200, 'ok');

  it('is answered 504 when its time is over', async () => {
    const { url } = await serve('HTTP/1.1', 60_000, slow);
    expect((await fetch(`${url}/version?timeout=20ms`)).status).toBe(504);
  });

  it.each([
    ['5', 'time: missing unit in duration "5"'],
    ['5q', 'time: unknown unit "q" in duration "5q"'],
    ['1h.', 'time: invalid duration "1h."'],
  ])('is refused where that is no duration: %s', async (timeout, why) => {
    const { url } = await serve('HTTP/1.1', 60_000, quick);
    const response = await fetch(`${url}/version?timeout=${timeout}`);
    expect([response.status, ((await response.json()) as { message: string }).message]).toEqual([
      400,
      `invalid timeout specified in the request URL - ${why}`,
    ]);
  });

  it.each(['0', '-5s', '100h', ''])(
    'is answered as ever where that is none, or too long: "%s"',
    async (timeout) => {
      const { url } = await serve('HTTP/1.1', 60_000, quick);
      expect((await fetch(`${url}/version?timeout=${timeout}`)).status).toBe(200);
    },
  );
});
