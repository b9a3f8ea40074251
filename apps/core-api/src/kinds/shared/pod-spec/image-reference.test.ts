import { expect, it } from 'vitest';
import { tagOfImage } from './image-reference.ts';

const digest = `sha256:${'a'.repeat(64)}`;

it.each<[string, string | undefined]>([
  ['i', 'latest'],
  ['i:1', '1'],
  ['a/b', 'latest'],
  ['localhost/b:x', 'x'],
  ['registry.example:5000/a/b', 'latest'],
  ['registry.example:5000/a/b:latest', 'latest'],
  ['[2001:db8::1]:5000/a:2', '2'],
  [`a@${digest}`, ''],
  [`a:latest@${digest}`, 'latest'],
  ['a__b--c.d', 'latest'],
  ['A b!', undefined],
  ['-x', undefined],
  ['../x', undefined],
  ['é', undefined],
  ['Upper', undefined],
  ['a/Upper', undefined],
  ['a:', undefined],
  [`a:${'b'.repeat(129)}`, undefined],
  ['a@sha256:x', undefined],
  ['a'.repeat(300), undefined],
  ['a'.repeat(64), undefined],
  ['a'.repeat(70), 'latest'],
])('the tag of %s is %s', (image, tag) => {
  expect(tagOfImage(image)).toBe(tag);
});
