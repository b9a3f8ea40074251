import { maxObjectMembers } from '@annex/machinery';
import { maxBodyContainers } from '@annex/server';
import type { ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { createTestCA, sendInterimResponses, sendWithoutEnd, switchProtocols } from '@annex/testkit';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { maxYamlReviewLength } from './review-response.ts';
import { maxWebhookErrorText } from './response-error.ts';
import { readResponse, type Review } from './review.ts';
import { maxWebhookResponseBytes, WebhookClient } from './webhook-client.ts';
import { maxWebhookRequests } from './redirects.ts';

const ca = createTestCA('hostile');
let server: Server;
let respond: (res: ServerResponse) => void;
beforeAll(async () => {
  const { certificate: cert, key } = ca.issue({ commonName: 'hook', dnsNames: ['localhost'] });
  server = createServer({ cert, key }, (req, res) => {
    res.on('error', () => undefined);
    req.resume().on('end', () => respond(res));
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** Returns the error of a request to the webhook. */
async function failure(webhook: (res: ServerResponse) => void, timeoutMs = 20_000): Promise<string> {
  respond = webhook;
  const { port } = server.address() as AddressInfo;
  const caBundle = Buffer.from(ca.certificate).toString('base64');
  const client = new WebhookClient({ url: `https://localhost:${port}/hook`, caBundle }, () => {
    throw new Error('no service');
  });
  onTestFinished(() => client.close());
  return await client.post('{}', timeoutMs).then(
    (text) => `no error: ${text.length} characters`,
    (error: Error) => error.message.replace(`:${port}`, ''),
  );
}

const tooLarge = `the response is larger than ${maxWebhookResponseBytes} bytes`;

describe('a hostile webhook cannot', () => {
  it.each<[string, (res: ServerResponse) => void, string]>([
    ['send an sendWithoutEnd response', sendWithoutEnd, tooLarge],
    [
      'send a small compressed response of a large size',
      (res) => {
        res.setHeader('content-encoding', 'gzip');
        res.end(gzipSync(Buffer.alloc(16 * maxWebhookResponseBytes, ' ')));
      },
      tooLarge,
    ],
    [
      'redirect endlessly',
      (res) => res.writeHead(308, { location: '/hook' }).end(),
      `stopped after ${maxWebhookRequests} redirects`,
    ],
    ['switch protocols', switchProtocols, 'the server switched protocols, which was not requested'],
    [
      // The limit: maxInterimResponses.
      'send sendWithoutEnd interim responses',
      sendInterimResponses,
      'the server sent too many interim responses',
    ],
  ])('%s', async (_what, webhook, expected) => {
    expect(await failure(webhook)).toContain(expected);
  });

  it('send a response byte by byte', async () => {
    const drip = (res: ServerResponse) => {
      const timer = setInterval(() => res.write(' '), 20);
      res.on('close', () => clearInterval(timer));
    };
    expect(await failure(drip, 300)).toContain('context deadline exceeded');
  });

  it('add more than 2048 characters to an error', async () => {
    const text = (res: ServerResponse) =>
      res.writeHead(500, { 'content-type': 'text/plain' }).end('x'.repeat(1e6));
    expect(await failure(text)).toBe(
      `an error on the server ("${'x'.repeat(maxWebhookErrorText)}") has prevented the request from succeeding`,
    );
  });
});

const review: Review = { uid: 'u', version: 'v1', body: '' };

it.each([
  [
    'nested a million times',
    '{"a":'.repeat(1e6),
    "couldn't get version/kind; json parse error: exceeded max depth",
  ],
  [
    'an object of too many members',
    `{${Array.from({ length: maxObjectMembers + 1 }, (_, i) => `"k${i}":1`).join(',')}}`,
    `couldn't get version/kind; json parse error: one object has more than ${maxObjectMembers} members`,
  ],
  [
    'a list of too many objects',
    `{"a":[${'{},'.repeat(maxBodyContainers)}{}]}`,
    `couldn't get version/kind; json parse error: it has more than ${maxBodyContainers} objects and lists`,
  ],
  [
    'broken at the end of a megabyte',
    `{"a":[${'1,'.repeat(500_000)}`,
    "couldn't get version/kind; json parse error: unexpected end of JSON input",
  ],
  [
    'YAML of two megabytes',
    `a: [${'x,'.repeat(1e6)}]`,
    `a review in YAML has more than ${maxYamlReviewLength} characters`,
  ],
  [
    'a small YAML of many aliases',
    `a: &a [${'x,'.repeat(1e4)}]\nb: [${'*a,'.repeat(2e3)}]`,
    'yaml: document contains excessive aliasing',
  ],
])('a review that is %s is refused', async (_what, text, expected) => {
  await expect(readResponse(text, review, true)).rejects.toThrow(`failed to call webhook: ${expected}`);
});
