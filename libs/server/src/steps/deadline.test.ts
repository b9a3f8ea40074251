import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { type IncomingMessage, type ServerResponse, createServer, get } from 'node:http';
import { connect, createServer as createHttp2Server } from 'node:http2';
import type { AddressInfo, Server } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createContext } from '@annex/kinds';
import { http2Messages } from '@annex/http';
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

/** Serves a handler behind the step. Resolves to the URL, and to the end of the first response. */
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
    // An HTTP/2 response emits `finish` regardless of the end of its stream.
    const { stream = res } = res as { stream?: { writableFinished: boolean } };
    res.once('close', () => ended.resolve(stream.writableFinished ? 'whole' : 'cut'));
    void run(createContext(req, res, Date.now()));
  };
  const server =
    protocol === 'HTTP/2' ? createHttp2Server(http2Messages, response as never) : createServer(response);
  servers.push(server as Server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, ended: ended.promise };
}

/** Sends a request and reads only the response head. */
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

describe.each(Object.keys(readers))('%s: a client that does not read its response', (protocol) => {
  it.each<[string, Step['run']]>([
    ['in one piece', (request) => sendBody(request, 200, 'text/plain', large)],
    ['in many', (request) => sendPieces(request, 200, { contentType: 'text/plain', pieces: [large, large] })],
  ])('is disconnected at the deadline: %s', async (_name, handler) => {
    const { url, ended } = await serve(protocol, 200, handler);
    const close = (readers[protocol] as (url: string) => () => void)(url);
    expect(await ended).toBe('cut');
    close();
  });
});

it('a request that takes too long gets 504', async () => {
  const { url } = await serve('HTTP/1.1', 50, () => new Promise<never>(() => undefined));
  const response = await fetch(url);
  expect([response.status, ((await response.json()) as { reason: string }).reason]).toEqual([504, 'Timeout']);
});

it('a response in time is complete', async () => {
  const { url, ended } = await serve('HTTP/1.1', 10_000, (request) => sendText(request, 200, 'ok'));
  expect(await (await fetch(url)).text()).toBe('ok');
  expect(await ended).toBe('whole');
});

describe('a request with a timeout parameter', () => {
  const slow: Step['run'] = (request) =>
    new Promise<void>((resolve) => setTimeout(resolve, 2000).unref()).then(() =>
      sendText(request, 200, 'late'),
    );
  const quick: Step['run'] = async (request) => sendText(request, 200, 'ok');

  it('gets 504 at its timeout', async () => {
    const { url } = await serve('HTTP/1.1', 60_000, slow);
    expect((await fetch(`${url}/version?timeout=20ms`)).status).toBe(504);
  });

  it.each([
    ['5', 'time: missing unit in duration "5"'],
    ['5q', 'time: unknown unit "q" in duration "5q"'],
    ['1h.', 'time: invalid duration "1h."'],
  ])('is refused if the duration is invalid: %s', async (timeout, why) => {
    const { url } = await serve('HTTP/1.1', 60_000, quick);
    const response = await fetch(`${url}/version?timeout=${timeout}`);
    expect([response.status, ((await response.json()) as { message: string }).message]).toEqual([
      400,
      `invalid timeout specified in the request URL - ${why}`,
    ]);
  });

  it.each(['0', '-5s', '100h', ''])(
    'has the default timeout without a duration or with a longer one: "%s"',
    async (timeout) => {
      const { url } = await serve('HTTP/1.1', 60_000, quick);
      expect((await fetch(`${url}/version?timeout=${timeout}`)).status).toBe(200);
    },
  );
});
