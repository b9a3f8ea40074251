import { expect, it } from 'vitest';
import { Remembered } from './remembered.ts';

it('returns the same value for a key until it is full', () => {
  const remembered = new Remembered<string, object>(2);
  const first = remembered.get('a', () => ({}));
  expect(remembered.get('a', () => ({}))).toBe(first);
  remembered.get('b', () => ({}));
  expect(remembered.get('a', () => ({}))).toBe(first);
  remembered.get('c', () => ({}));
  expect(remembered.get('a', () => ({}))).not.toBe(first);
});
