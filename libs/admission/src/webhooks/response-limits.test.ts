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
  ['a few are accepted', annotations(3, 'v'), 3],
  ['of 100,000 the first are accepted', annotations(100_000, 'v'), maxWebhookAnnotations],
  [
    'of large ones those within the limit are accepted',
    annotations(10, 'x'.repeat(maxWebhookAnnotationsLength / 4)),
    3,
  ],
  ['one that is too large is dropped', annotations(1, 'x'.repeat(maxWebhookAnnotationsLength)), 0],
  ['one with an invalid key is dropped', { 'a/b/c': 'v', d: 'v' }, 1],
])('audit annotations of a webhook: %s', (_what, provided, count) => {
  expect(acceptedAnnotations('hook.example.com', provided)).toHaveLength(count);
});

it('of a million warnings the first are accepted', () => {
  expect(acceptedWarnings(Array<string>(1_000_000).fill('w'))).toHaveLength(maxWebhookWarnings);
});
