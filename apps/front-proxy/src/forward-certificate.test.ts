import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { issueClientCertificate } from '@annex/auth';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makePki, type TestPki } from './forward.fixture.ts';
import { responseOf, type Harness, startHarness } from './forward-harness.fixture.ts';

let pki: TestPki;
let harness: Harness;
let client: TestPki['frontProxy'];

beforeAll(async () => {
  pki = await makePki();
  client = pki.frontProxy;
  harness = await startHarness({ client: () => client });
});
afterAll(() => harness.stop());

it('AGG-008 a renewed certificate is used from the next request on, and running watches continue', async () => {
  const seen: string[] = [];
  const running = Promise.withResolvers<() => void>();
  await harness.extension('renewed.example.com', (req: IncomingMessage, res) => {
    seen.push(String((req.socket as TLSSocket).getPeerCertificate().subject?.CN));
    if (!req.url?.includes('watch')) return void res.end('{}');
    res.writeHead(200).write('{"n":1}\n');
    running.resolve(() => void res.write('{"n":2}\n'));
  });
  const ask = async (end = ''): Promise<IncomingMessage> => {
    const sent = harness.begin(`/apis/renewed.example.com/v1/echoes${end}`);
    sent.on('error', () => undefined).end();
    return responseOf(sent);
  };
  const watch = await ask('?watch=1');
  const events = watch[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  expect(String((await events.next()).value)).toBe('{"n":1}\n');
  const { frontProxyCa } = pki;
  client = await issueClientCertificate(frontProxyCa, { user: 'renewed' }, { key: pki.frontProxy.key });
  await (await ask()).resume().toArray();
  expect(seen).toEqual(['front-proxy-client', 'renewed']);
  (await running.promise)();
  expect(String((await events.next()).value)).toBe('{"n":2}\n');
  watch.destroy();
});
