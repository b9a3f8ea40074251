import { Buffer } from 'node:buffer';
import { expect, test } from 'vitest';
import { frameHeader, prefaceBytes } from './frame.ts';
import { FrameScanner, type FrameSink, type FrameUse } from './frame-scanner.ts';

const uses: readonly FrameUse[] = ['pass', 'whole', 'payload'];

/** Records what a scanner finds; the type of a frame chooses its use. */
function recording() {
  const passed: Buffer[] = [];
  const whole: string[] = [];
  const payloads: string[] = [];
  let payload: Buffer[] = [];
  const sink: FrameSink = {
    begin: ({ type }) => uses[type] ?? 'pass',
    pass: (bytes) => void passed.push(bytes),
    whole: ({ streamId }, bytes) => void whole.push(`${streamId}: ${bytes.toString('latin1', 9)}`),
    payload({ streamId }, bytes, isLast) {
      payload.push(bytes);
      if (!isLast) return;
      payloads.push(`${streamId}: ${Buffer.concat(payload).toString()}`);
      payload = [];
    },
  };
  return { sink, found: () => ({ passed: Buffer.concat(passed), whole, payloads }) };
}

const frame = (use: FrameUse, streamId: number, text: string): Buffer =>
  Buffer.concat([
    frameHeader({ length: text.length, type: uses.indexOf(use), flags: 0, streamId }),
    Buffer.from(text),
  ]);

const preface = Buffer.alloc(prefaceBytes, 'p');
const passing = [frame('pass', 1, 'headers'), frame('pass', 3, '')];
const bytes = Buffer.concat([
  preface,
  passing[0]!,
  frame('payload', 1, 'data'),
  frame('payload', 5, ''),
  frame('whole', 0, 'settings'),
  frame('whole', 7, ''),
  passing[1]!,
  frame('payload', 1, 'more'),
]);
const expected = {
  passed: Buffer.concat([preface, ...passing]),
  whole: ['0: settings', '7: '],
  payloads: ['1: data', '5: ', '1: more'],
};

test.each([1, 2, 3, 7, 8, 9, 10, 24, 33, bytes.length])('frames are found in pieces of %i bytes', (size) => {
  const { sink, found } = recording();
  const scanner = new FrameScanner(sink, prefaceBytes);
  for (let at = 0; at < bytes.length; at += size) scanner.add(bytes.subarray(at, at + size));
  expect(found()).toEqual(expected);
  expect(scanner.isBetweenFrames).toBe(true);
});

test.each([
  ['the preface', 3],
  ['a header', prefaceBytes + 5],
  ['a frame that passes', prefaceBytes + 12],
  ['a payload', prefaceBytes + passing[0]!.length + 10],
])('bytes may not be inserted into %s', (_what, length) => {
  const scanner = new FrameScanner(recording().sink, prefaceBytes);
  scanner.add(bytes.subarray(0, length));
  expect(scanner.isBetweenFrames).toBe(false);
});
