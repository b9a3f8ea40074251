import { Buffer } from 'node:buffer';
import type { StatusError } from '@annex/machinery';
import { expect, it } from 'vitest';
import { decodeObject, type Expected } from './decode-object.ts';

const expected = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  typed: true,
  schema: { prune: () => [] },
} as unknown as Expected;
const bodyOf = (end: string, letters: number) =>
  Buffer.from(
    `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"x":"${'a'.repeat(letters)}"}${end}`,
  );
const large = 300 * 1024;

it('a large JSON body is decoded in slices, with the result of a small one', async () => {
  const small = decodeObject(bodyOf(',"data":{"x":1}}', 2), '', expected);
  expect(small).not.toBeInstanceOf(Promise);
  const sliced = decodeObject(bodyOf(',"data":{"x":1}}', large), '', expected);
  expect(sliced).toBeInstanceOf(Promise);
  expect(await sliced).toEqual(small);
});

it.each([
  ['a syntax error', '"', 'json parse error: '],
  ['too deep', `,"y":${'['.repeat(600)}${']'.repeat(600)}}`, 'exceeded max depth'],
])('a large JSON body is refused like a small one: %s', async (_what, end, text) => {
  const error = (await Promise.resolve(decodeObject(bodyOf(end, large), '', expected)).catch(
    (caught: unknown) => caught,
  )) as StatusError;
  expect(error.code).toBe(400);
  expect(error.message).toContain('the object provided is unrecognized (must be of type ConfigMap): ');
  expect(error.message).toContain(text);
});
