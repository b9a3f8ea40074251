import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requireReference, startReference } from '../runners/reference-runner.ts';
import type { Runner } from '../runners/runner.ts';
import { startSingle } from '../runners/single-runner.ts';

const suite = 'watches over WebSocket, compared with a real kube-apiserver';
const origin = 'https://example.com';

interface Opened {
  query?: string;
  headers?: Record<string, string>;
}

/** What a client observes: the handshake, then each frame without what differs between servers. */
async function observe(
  { url, pki }: Runner,
  { query = '', headers = { origin } }: Opened,
): Promise<string[]> {
  const [ca, cert, key] = ['ca.crt', 'admin.crt', 'admin.key'].map((name) => readFileSync(join(pki, name)));
  const handshake = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-key': randomBytes(16).toString('base64'),
    'sec-websocket-version': '13',
    ...headers,
  };
  return await new Promise((resolve, reject) => {
    const target = `${url}/api/v1/namespaces?watch=1${query}`;
    const sent = request(target, { agent: new Agent({ ca, cert, key }), headers: handshake });
    sent.on('upgrade', (response, socket, head) => {
      const protocol = response.headers['sec-websocket-protocol'];
      framesOf(socket, head).then((frames) => resolve([`opened with ${protocol}`, ...frames]), reject);
    });
    sent.on('response', (response) => {
      // kube-apiserver refuses a handshake without headers, Annex with those of every response.
      text(response).then((body) => resolve([`${response.statusCode} ${body}`]), reject);
    });
    sent.on('error', reject);
    sent.end();
  });
}

const maskedClose = Buffer.from('888000000000', 'hex');

/** Describes the frames of a server until its close frame, which is confirmed. */
async function framesOf(socket: Duplex, head: Buffer): Promise<string[]> {
  const frames: string[] = [];
  socket.unshift(head);
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    rest = Buffer.concat([rest, chunk]);
    for (let frame = firstFrame(rest); frame !== undefined; frame = firstFrame(rest)) {
      rest = rest.subarray(frame.end);
      frames.push(frameText(frame));
      if (frame.opcode === closeOpcode) socket.end(maskedClose);
    }
  }
  return frames;
}

interface Frame {
  opcode: number;
  payload: Buffer;
  /** The length of the frame. */
  end: number;
}

/** Reads a frame of a server, which is not masked (RFC 6455, section 5.2). */
function firstFrame(bytes: Buffer): Frame | undefined {
  if (bytes.length < 2) return undefined;
  const short = bytes[1]! & 127;
  const start = short === 126 ? 4 : short === 127 ? 10 : 2;
  if (bytes.length < start) return undefined;
  const length =
    start === 4 ? bytes.readUInt16BE(2) : start === 10 ? Number(bytes.readBigUInt64BE(2)) : short;
  const end = start + length;
  if (bytes.length < end) return undefined;
  return { opcode: bytes[0]! & 15, payload: bytes.subarray(start, end), end };
}

const [textOpcode, closeOpcode] = [1, 8];

function frameText({ opcode, payload }: Frame): string {
  if (opcode === closeOpcode) return `close ${payload.length >= 2 ? payload.readUInt16BE() : ''}`;
  // Field 1 of a WatchEvent in protobuf is its type.
  if (opcode !== textOpcode) return `opcode ${opcode} ${payload.subarray(2, 2 + payload[1]!).toString()}`;
  const { type, object } = JSON.parse(payload.toString()) as {
    type: string;
    object: Record<string, unknown>;
  };
  const { metadata, kind, code, message, reason } = object as {
    metadata?: { name?: string };
  } & typeof object;
  const end = payload.at(-1) === 10 ? 'newline' : 'no newline';
  return JSON.stringify([type, kind, metadata?.name, code, reason, message, end]);
}

describe.runIf(requireReference(suite))(suite, () => {
  let servers: Runner[] = [];
  beforeAll(async () => {
    servers = await Promise.all([startSingle({ ephemeral: true }), startReference()]);
  }, 120_000);
  afterAll(async () => void (await Promise.all(servers.map((server) => server.stop()))));

  const named = '&fieldSelector=metadata.name=default';
  const short = `&timeoutSeconds=1${named}`;
  it.each<[string, Opened]>([
    ['events are texts', { query: short }],
    [
      'the only subprotocol is selected',
      { query: short, headers: { origin, 'sec-websocket-protocol': 'base64.binary.k8s.io' } },
    ],
    ['two subprotocols', { headers: { origin, 'sec-websocket-protocol': 'a, b' } }],
    ['no Origin', { headers: {} }],
    ['an Origin that is no URL', { headers: { origin: 'null' } }],
    ['an Origin that is a path', { query: short, headers: { origin: '/x' } }],
    ['another version of WebSocket', { headers: { origin, 'sec-websocket-version': '8' } }],
    ['protobuf', { query: `${short}&resourceVersion=0`, headers: { origin, accept: 'application/vnd.kubernetes.protobuf' } }], // prettier-ignore
    [
      'a table',
      { query: short, headers: { origin, accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' } },
    ],
    ['a media type that is not served', { headers: { origin, accept: 'text/plain' } }],
    ['a user without permission', { headers: { origin, 'impersonate-user': 'nobody' } }],
    ['an invalid selector', { query: '&labelSelector=!!' }],
    ['initial events and a bookmark', { query: `${short}&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true` }], // prettier-ignore
  ])('%s', async (_, opened) => {
    const [own, reference] = await Promise.all(servers.map((server) => observe(server, opened)));
    expect(own).toEqual(reference);
    expect(own).not.toEqual([]);
  });

  it('a negative timeout', async () => {
    const opened = { query: `${named}&timeoutSeconds=-1` };
    const [own, ends] = [await observe(servers[0]!, opened), new Set<string>()];
    // kube-apiserver selects at random between the timeout and the error event: one end of two does not come 40 times.
    for (let i = 0; i < 40 && !ends.has(own.join('\n')); i++)
      ends.add((await observe(servers[1]!, opened)).join('\n'));
    expect(ends).toContain(own.join('\n'));
  });
});
