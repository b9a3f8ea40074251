import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type RunningAnnex, runAnnex } from './running-annex.fixture.ts';

const path = '/api/v1/namespaces/default/configmaps';
const origin = 'https://example.com';

let annex: RunningAnnex;
beforeAll(async () => {
  annex = await runAnnex('--ephemeral');
});
afterAll(() => annex?.stop());

interface Opened {
  query?: string;
  protocols?: string[];
  headers?: Record<string, string>;
  protocolVersion?: number;
}

function open({ query = '', protocols = [], headers = { origin }, ...others }: Opened = {}): WebSocket {
  const pem = (name: string) => readFileSync(join(annex.pki, name), 'utf8');
  const url = `${annex.url.replace('https', 'wss')}${path}?watch=true${query}`;
  return new WebSocket(url, protocols, {
    headers,
    ...others,
    ca: pem('ca.crt'),
    cert: pem('admin.crt'),
    key: pem('admin.key'),
  });
}

const create = (name: string) =>
  annex.admin.json({ method: 'POST', path, body: { metadata: { name }, data: { color: 'blue' } } });

/** The messages of a watch until it ends. */
async function messagesOf(socket: WebSocket): Promise<{ data: Buffer; isBinary: boolean }[]> {
  const messages: { data: Buffer; isBinary: boolean }[] = [];
  socket.on('message', (data, isBinary) => messages.push({ data: data as Buffer, isBinary }));
  await once(socket, 'close');
  return messages;
}

describe('a watch over WebSocket', () => {
  it('sends each event as a text, and each change when it happens', async () => {
    const socket = open({ protocols: ['base64.binary.k8s.io'] });
    await once(socket, 'open');
    // The watch selects its only subprotocol, without a meaning.
    expect(socket.protocol).toBe('base64.binary.k8s.io');
    const next = once(socket, 'message') as Promise<[data: Buffer, isBinary: boolean]>;
    await create('first');
    const [data, isBinary] = await next;
    expect(isBinary).toBe(false);
    expect(data.toString()).toMatch(/^\{"type":"ADDED".*\}\n$/);
    expect(JSON.parse(data.toString())).toMatchObject({ object: { metadata: { name: 'first' } } });
    socket.close();
    await once(socket, 'close');
  });

  it('sends existing objects as one message each, and a closing handshake at its end', async () => {
    await create('second');
    const query =
      '&timeoutSeconds=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
    const socket = open({ query });
    const closed = once(socket, 'close') as Promise<[code: number]>;
    const messages = await messagesOf(socket);
    expect(messages.map(({ data }) => (JSON.parse(data.toString()) as { type: string }).type)).toEqual([
      'ADDED',
      'ADDED',
      // The controller of root CAs does not run.
      'BOOKMARK',
    ]);
    expect((await closed)[0]).toBe(1000);
  });

  it('sends protobuf as binary messages without a length', async () => {
    const headers = { origin, accept: 'application/vnd.kubernetes.protobuf' };
    const query = '&timeoutSeconds=1&fieldSelector=metadata.name=first&resourceVersion=1';
    const [first] = await messagesOf(open({ headers, query }));
    expect(first?.isBinary).toBe(true);
    // Field 1 of a WatchEvent: the type.
    expect(first?.data.subarray(0, 7)).toEqual(Buffer.from('\n\x05ADDED'));
  });

  it('ends at once with an error if its timeout is negative', async () => {
    const [error, ...others] = await messagesOf(open({ query: '&timeoutSeconds=-1' }));
    expect(JSON.parse(error!.data.toString())).toMatchObject({
      type: 'ERROR',
      object: { message: 'context deadline exceeded' },
    });
    expect(others).toEqual([]);
  });

  it('ends when its client sends more than maxWatchMessageBytes', async () => {
    const socket = open();
    await once(socket, 'open');
    socket.send('ignored');
    socket.send(Buffer.alloc(64 * 1024 + 1));
    expect(((await once(socket, 'close')) as [code: number])[0]).toBe(1009);
  });

  it.each<[what: string, opened: Opened, status: number, body: RegExp]>([
    ['without Origin', { headers: {} }, 403, /^$/],
    ['with an origin that is no URL', { headers: { origin: 'null' } }, 403, /^$/],
    ['with two subprotocols', { protocols: ['a', 'b'] }, 400, /^$/],
    ['in another version', { protocolVersion: 8 }, 400, /WebSocket Version/],
    ['that RBAC denies', { headers: { origin, 'impersonate-user': 'nobody' } }, 403, /cannot watch resource/],
    ['with an invalid selector', { query: '&labelSelector=!!' }, 400, /unable to parse requirement/],
  ])('%s is refused', async (_what, opened, status, body) => {
    const socket = open(opened);
    socket.on('error', () => {});
    const [, response] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage];
    expect([response.statusCode, await text(response)]).toEqual([status, expect.stringMatching(body)]);
  });
});
