import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { type IncomingMessage, type ServerResponse, createServer, get } from 'node:http';
import { connect, createServer as createHttp2Server } from 'node:http2';
import type { AddressInfo, Server } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createContext } from '../context.ts';
import { sendBody, sendPieces, sendText } from '../respond.ts';
import { type Step, composeSteps } from '../step.ts';
import { catchPanic } from './catch-panic.ts';
import { deadline } from './deadline.ts';
import { nullLogger } from '@annex/runtime';

const large = Buffer.alloc(32 * 1024 * 1024, 'a');
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** Serves a handler behind the step; resolves to the URL, and to how the first answer ended. */
async function serve(protocol: string, requestTimeoutMs: number, handler: Step['run']) {
  const steps = [catchPanic(nullLogger), deadline(requestTimeoutMs), { name: 'answer', run: handler }];
  const run = composeSteps(steps);
  const ended = Promise.withResolvers<'whole' | 'cut'>();
  const answer = (req: IncomingMessage, res: ServerResponse) => {
    // The response of HTTP/2 says that it has finished however its stream ended.
    const { stream = res } = res as { stream?: { writableFinished: boolean } };
    res.once('close', () => ended.resolve(stream.writableFinished ? 'whole' : 'cut'));
    void run(createContext(req, res, Date.now()));
  };
  const server = protocol === 'HTTP/2' ? createHttp2Server(answer as never) : createServer(answer);
  servers.push(server as Server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, ended: ended.promise };
}

/** Asks and reads nothing but the head. */
const readers: Record<string, (url: string) => () => void> = {
  'HTTP/1.1': (url) => {
    const asked = get(url, (message) => message.pause().on('error', () => undefined));
    asked.on('error', () => undefined);
    return () => asked.destroy();
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
    ['in one piece', (ctx) => sendBody(ctx, 200, 'text/plain', large)],
    ['in many', (ctx) => sendPieces(ctx, 200, { contentType: 'text/plain', pieces: [large, large] })],
  ])('is cut off when its time is over: %s', async (_name, handler) => {
    const { url, ended } = await serve(protocol, 200, handler);
    const close = (readers[protocol] as (url: string) => () => void)(url);
    expect(await ended).toBe('cut');
    close();
  });
});

it('what is not answered in time is answered 504', async () => {
  const { url } = await serve('HTTP/1.1', 50, () => new Promise<never>(() => undefined));
  const answer = await fetch(url);
  expect([answer.status, ((await answer.json()) as { reason: string }).reason]).toEqual([504, 'Timeout']);
});

it('what is answered in time is whole', async () => {
  const { url, ended } = await serve('HTTP/1.1', 10_000, (ctx) => sendText(ctx, 200, 'ok'));
  expect(await (await fetch(url)).text()).toBe('ok');
  expect(await ended).toBe('whole');
});
