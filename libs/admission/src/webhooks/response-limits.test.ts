import { expect, it } from 'vitest';
import {
  maxWebhookAnnotations,
  maxWebhookAnnotationsLength,
  maxWebhookWarnings,
  acceptedAnnotations,
  acceptedWarnings,
} from './response-limits.ts';

const annotations = (count: number, value: string) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, value]));

it.each([
  ['a few are taken', annotations(3, 'v'), 3],
  ['of 100,000 the first are taken', annotations(100_000, 'v'), maxWebhookAnnotations],
  [
    'of large ones those that have room are taken',
    annotations(10, 'x'.repeat(maxWebhookAnnotationsLength / 4)),
    3,
  ],
  ['one that is too large is not taken', annotations(1, 'x'.repeat(maxWebhookAnnotationsLength)), 0],
  ['one whose key is no name is not taken', { 'a/b/c': 'v', d: 'v' }, 1],
])('audit annotations of a webhook: %s', (_what, provided, count) => {
  expect(acceptedAnnotations('hook.example.com', provided)).toHaveLength(count);
});

it('of a million warnings the first are taken', () => {
  expect(acceptedWarnings(Array<string>(1_000_000).fill('w'))).toHaveLength(maxWebhookWarnings);
});
