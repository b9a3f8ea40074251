import { expect, it } from 'vitest';
import { FieldLines } from './field-lines.ts';

const fields = (): FieldLines => {
  const lines = new FieldLines();
  lines.add('Warning', 'a');
  lines.add('__proto__', 'b');
  lines.add('warning', 'c');
  return lines;
};

it('finds names without regard to case, and joins their values', () => {
  expect([fields().get('warning'), fields().get('__proto__'), fields().get('constructor')]).toEqual([
    'a, c',
    'b',
    undefined,
  ]);
  expect(fields().all('warning')).toEqual(['a', 'c']);
});

it('sets or removes the value of a name', () => {
  const lines = fields();
  lines.set('warning', 'd');
  expect(Object.entries(lines.toObject())).toEqual([
    ['__proto__', 'b'],
    ['warning', 'd'],
  ]);
  lines.set('__proto__', undefined);
  expect(Object.entries(lines.toObject())).toEqual([['warning', 'd']]);
});

it('hands the lines out in their order, each as it was sent', () => {
  const seen: string[][] = [];
  fields().forEach((...line) => seen.push(line));
  expect(seen).toEqual([
    ['warning', 'a', 'Warning'],
    ['__proto__', 'b', '__proto__'],
    ['warning', 'c', 'warning'],
  ]);
});
