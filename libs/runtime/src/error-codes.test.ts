import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { OperatorError, operatorErrors } from './error-codes.ts';
import { exitCodes } from './exit-codes.ts';

const page = readFileSync(new URL('../../../docs/reference/errors.md', import.meta.url), 'utf8');
const documented = page
  .split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .filter(([, code]) => code?.startsWith('`'))
  .map(([, code, what, next]) => ({ code: code?.slice(1, -1), what, next }));

test('the page of error codes has every code, in order, and no other', () => {
  const rows = Object.entries(operatorErrors).map(([code, { what, next }]) => ({ code, what, next }));
  expect(documented).toEqual(rows);
});

test('the page has every exit code', () => {
  const rows = [...page.matchAll(/^\| (\d+) +\| (.+?) +\|$/gm)].map(([, code, meaning]) => [code, meaning]);
  expect(rows).toEqual(Object.entries(exitCodes));
});

test('an error says what to do next', () => {
  expect(String(new OperatorError('PORT_IN_USE', '127.0.0.1:6443 is taken'))).toBe(
    'PORT_IN_USE: 127.0.0.1:6443 is taken\n  Stop it, or choose another port with --port; 0 selects a free one.',
  );
});
