import { expect, it } from 'vitest';
import { returnBuffer, takeBuffer } from './slice-buffers.ts';

const size = 1024 * 1024;

it('reuses a returned buffer', () => {
  const buffer = takeBuffer(size);
  returnBuffer(buffer);
  expect(takeBuffer(size)).toBe(buffer);
});

it('never hands out a buffer twice', () => {
  expect(takeBuffer(size)).not.toBe(takeBuffer(size));
});

it('keeps no more than four megabytes of one size', () => {
  const buffers = Array.from({ length: 6 }, () => takeBuffer(size));
  for (const buffer of buffers) returnBuffer(buffer);
  const reused = buffers.map(() => takeBuffer(size)).filter((buffer) => buffers.includes(buffer));
  expect(reused).toHaveLength(4);
});
