import { Buffer } from 'node:buffer';
import { Duplex } from 'node:stream';
import type { FuzzTarget } from '@annex/testkit';
import { endFrame, frameFlags, frameHeader, frameTypes, prefaceBytes, windowUpdate } from './frame.ts';
import { FramedConnection } from './framed-connection.ts';
import { FrameScanner, type FrameUse } from './frame-scanner.ts';

const frame = (type: number, flags: number, streamId: number, payload = ''): Buffer =>
  Buffer.concat([
    frameHeader({ type, flags, streamId, length: Buffer.byteLength(payload, 'latin1') }),
    Buffer.from(payload, 'latin1'),
  ]);

const { data, headers, resetStream, settings } = frameTypes;
const preface = Buffer.alloc(prefaceBytes, 'p');
const conversation: readonly Buffer[] = [
  frame(settings, 0, 0, '\0\x04\0\0\x01\0\0\x05\0\0\x50\0'),
  frame(settings, frameFlags.ack, 0),
  frame(headers, 4, 1, 'block'),
  frame(data, 0, 1, 'data'),
  frame(data, frameFlags.padded, 1, '\x02data\0\0'),
  windowUpdate(0, 70_000),
  windowUpdate(1, 1),
  frame(headers, 4, 3, 'block'),
  frame(data, frameFlags.endStream, 3, 'end'),
  frame(resetStream, 0, 1, '\0\0\0\x08'),
  endFrame(1),
];

/** Returns the same bytes in pieces, whose lengths depend on the bytes. */
function inPieces(input: Buffer): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0; at < input.length;) {
    const end = at + 1 + (input[at]! & 15);
    pieces.push(input.subarray(at, end));
    at = end;
  }
  return pieces;
}

const uses: readonly FrameUse[] = ['pass', 'whole', 'payload'];

/** What a scanner finds; the type of a frame chooses its use. Payloads that follow each other are joined. */
function scan(pieces: readonly Buffer[]): string {
  const found: [string, Buffer[]][] = [];
  const add = (kind: string, bytes: Buffer): void => {
    const last = found.at(-1);
    if (last?.[0] === kind) last[1].push(bytes);
    else found.push([kind, [bytes]]);
  };
  const scanner = new FrameScanner(
    {
      begin: ({ type }) => uses[type % uses.length]!,
      pass: (bytes) => add('pass', bytes),
      whole: ({ streamId }, bytes) => add(`whole ${streamId}`, bytes),
      payload: ({ streamId }, bytes) => add(`payload ${streamId}`, bytes),
    },
    prefaceBytes,
  );
  for (const piece of pieces) scanner.add(piece);
  const texts = found
    .map(([kind, parts]) => `${kind}: ${Buffer.concat(parts).toString('latin1')}`)
    .filter((text) => !text.endsWith(': '));
  return `${texts.join('\n')}\n${scanner.isBetweenFrames}`;
}

/** A socket that delivers at once, and accepts everything. */
class DirectSocket extends Duplex {
  override _read(): void {}
  override _write(_chunk: unknown, _encoding: BufferEncoding, done: () => void): void {
    done();
  }
}

/** A connection of a server that has got these bytes, and a reader of what it has passed on: to its session, and of each stream. */
function receive(pieces: readonly Buffer[]): () => string {
  const socket = new DirectSocket();
  const connection = new FramedConnection(socket, 'server', 4);
  connection.on('error', () => undefined);
  const passed = new Map<string, Buffer[]>(['session', '1', '3'].map((to) => [to, []]));
  connection.push = (bytes: Buffer | null) => {
    if (bytes !== null) passed.get('session')!.push(bytes);
    return true;
  };
  for (const id of [1, 3]) connection.open(id).read((bytes) => void passed.get(String(id))!.push(bytes));
  connection.open(1).write(Buffer.alloc(100_000));
  for (const piece of pieces) socket.emit('data', piece);
  return () => {
    const failure = connection.errored;
    connection.destroy();
    if (failure === null)
      return [...passed].map(([to, parts]) => `${to}: ${Buffer.concat(parts).toString('latin1')}`).join('\n');
    if (failure.constructor !== Error) throw failure;
    return failure.message;
  };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function compare(whole: string, parts: string): void {
  if (whole !== parts) throw new Error(`the same bytes in pieces are read otherwise: ${whole} | ${parts}`);
}

const seeds = [Buffer.concat([preface, ...conversation])];
const records = { format: 'http2', skip: prefaceBytes } as const;

export const fuzzTargets: FuzzTarget[] = [
  {
    name: 'tunnel-frame-scanner',
    records,
    seeds,
    maxBytes: 512,
    run(input) {
      const bytes = Buffer.from(input);
      compare(scan([bytes]), scan(inPieces(bytes)));
    },
  },
  {
    name: 'tunnel-connection',
    records,
    seeds,
    dictionary: ['\x7f\xff\xff\xff', '\0\x04\x7f\xff\xff\xff', '\0\x05\0\xff\xff\xff'],
    maxBytes: 512,
    async run(input) {
      const bytes = Buffer.from(input);
      const [whole, parts] = [receive([bytes]), receive(inPieces(bytes))];
      await turn();
      compare(whole(), parts());
    },
  },
];
