import { expect, test } from 'vitest';
import { initialWindowBytes, maxSentDataBytes } from '../limits.ts';
import { ReceiveWindow, SendWindow } from './windows.ts';

test('a sender waits when its window is used up, until it is granted more', () => {
  const window = new SendWindow();
  window.sent(initialWindowBytes - 1);
  expect(window.isOpen).toBe(true);
  window.sent(maxSentDataBytes);
  let continued = 0;
  window.whenOpen(() => continued++);
  window.granted(maxSentDataBytes - 1);
  expect(continued).toBe(0);
  window.granted(1);
  expect(continued).toBe(1);
});

test('a grant of more than was sent is refused', () => {
  const window = new SendWindow();
  window.sent(10);
  expect(() => window.granted(11)).toThrow('a window is larger than its connection');
});

test('a receiver grants what it consumed, in halves of the window', () => {
  const grants: number[] = [];
  const window = new ReceiveWindow((bytes) => grants.push(bytes));
  window.received(initialWindowBytes);
  window.consumed(initialWindowBytes / 2 - 1);
  expect(grants).toEqual([]);
  window.consumed(1);
  expect(grants).toEqual([initialWindowBytes / 2]);
});

test('a peer that exceeds initialWindowBytes is refused', () => {
  const window = new ReceiveWindow(() => undefined);
  window.received(initialWindowBytes + maxSentDataBytes);
  expect(() => window.received(1)).toThrow('a connection exceeds its window');
});
