import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  Dealer,
  entropyBits,
  maxKnownFlowLength,
  maxKnownHands,
  usableHashBits,
} from './shuffle-sharding.ts';

// The hands that k8s.io/apiserver/pkg/util/shufflesharding deals for these flows.
it.each<[number, number, string, string, number[]]>([
  [128, 6, 'global-default', 'jane', [24, 0, 86, 104, 74, 31]],
  [128, 6, 'service-accounts', 'system:serviceaccount:a:b', [55, 113, 71, 36, 27, 19]],
  [64, 6, 'kube-scheduler', '', [62, 24, 42, 5, 20, 45]],
  [16, 4, 'global-default', 'jane', [8, 1, 0, 14]],
  [1, 1, 'global-default', 'jane', [0]],
  [3, 3, 'service-accounts', 'system:serviceaccount:a:b', [2, 1, 0]],
])('%i queues, hands of %i: %s %s', (queues, handSize, schema, distinguisher, hand) =>
  expect(new Dealer(queues, handSize).hand(schema, distinguisher)).toEqual(hand),
);

it('a hand has different queues, all of them below the number of queues', () => {
  const size = fc
    .integer({ min: 1, max: 200 })
    .chain((queues) =>
      fc.record({ queues: fc.constant(queues), handSize: fc.integer({ min: 1, max: Math.min(queues, 15) }) }),
    );
  fc.assert(
    fc.property(size, fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), ({ queues, handSize }, hash) => {
      fc.pre(entropyBits(queues, handSize) <= usableHashBits);
      const hand = new Dealer(queues, handSize).deal(hash);
      expect(new Set(hand).size).toBe(handSize);
      expect(hand.every((queue) => queue >= 0 && queue < queues)).toBe(true);
    }),
  );
});

it('a flow has the same hand after more flows than are remembered, and however long it is', () => {
  const dealer = new Dealer(128, 6);
  const flows = ['a', 'a'.repeat(maxKnownFlowLength + 1)];
  const hands = flows.map((flow) => dealer.hand('s', flow));
  for (let i = 0; i <= maxKnownHands; i++) dealer.hand('s', String(i));
  expect(flows.map((flow) => dealer.hand('s', flow))).toEqual(hands);
});
