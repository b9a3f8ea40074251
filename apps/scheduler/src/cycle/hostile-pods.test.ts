import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { PodSpec } from '../objects/pod.ts';
import { aNode, aPod, decisions } from './decision.fixture.ts';
import { decisionSliceMs } from './time-slice.ts';

const many = <T>(count: number, of: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => of(i));
const selecting = (i: number) => ({ matchLabels: { [`k${i}`]: 'v' } });
const near = (i: number) => ({ topologyKey: 'zone', labelSelector: selecting(i) });
const onNodesWith = (i: number) => ({ matchExpressions: [{ key: `k${i}`, operator: 'Exists' }] });

const nodes = many(300, (i) => aNode(`n${i}`, { labels: { zone: `z${i % 3}` } }));

/** Returns the turns of the event loop that a decision leaves to other work. */
async function turnsOf(spec: object): Promise<number> {
  const { bind, decide } = await decisions(nodes);
  for (let i = 0; i < 300; i++) bind(aPod(`b${i}`), `n${i}`);
  let isDecided = false;
  const decided = decide(aPod('p', spec as Partial<PodSpec>)).finally(() => (isDecided = true));
  let turns = 0;
  for (; !isDecided; turns++) await nextTurn();
  await decided;
  return turns;
}

// Each takes many times the milliseconds of a slice on any machine.
it.each<[string, object]>([
  [
    'node affinity',
    {
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: many(10_000, onNodesWith) },
        },
      },
    },
  ],
  [
    'anti-affinity',
    {
      affinity: {
        podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: many(5_000, near) },
      },
    },
  ],
  [
    'preferred affinity',
    {
      affinity: {
        podAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: many(5_000, (i) => ({
            weight: 1,
            podAffinityTerm: near(i),
          })),
        },
      },
    },
  ],
])(
  `thousands of terms of %s do not hold the event loop: a decision pauses after ${decisionSliceMs} ms`,
  async (_name, spec) => {
    expect(await turnsOf(spec)).toBeGreaterThan(2);
  },
);
