import { describe, expect, it } from 'vitest';
import { type FuzzTarget, samples } from '@annex/testkit';
import { readCases } from './cases.ts';
import { mutated } from './mutation.ts';
import { Random } from './random.ts';
import { loadTargets, targetFiles } from './targets.ts';

/** Number of mutated inputs for each target; `npm run fuzz` runs millions. */
const inputsOfGate = samples(100);

const bytes = (seed: string | Uint8Array): Uint8Array =>
  typeof seed === 'string' ? Buffer.from(seed) : seed;

const targets: FuzzTarget[] = [];
for (const file of targetFiles()) targets.push(...(await loadTargets(file)));

describe('the fuzz targets', () => {
  it('have different names', () => {
    const names = targets.map(({ name }) => name);
    expect(names).toEqual([...new Set(names)]);
  });

  it.each(targets)('$name: handles its seeds, and inputs like them', async (target) => {
    const corpus = target.seeds.map(bytes);
    for (const seed of corpus) await target.run(seed);
    const words = (target.dictionary ?? []).map((word) => Buffer.from(word));
    const random = new Random(1);
    for (let i = 0; i < inputsOfGate; i++) {
      const material = {
        corpus,
        words,
        maxBytes: target.maxBytes ?? 2048,
        records: target.records,
      };
      const input = mutated(random.of(corpus), random, material);
      await target.run(input);
    }
  });
});

describe('the cases that fuzzing found', () => {
  const cases = targets.flatMap((target) => readCases(target.name).map((one) => ({ target, ...one })));

  it.each(cases)('$target.name $name is handled', async ({ target, input, expected }) => {
    const outcome = await target.run(input);
    if (expected !== undefined && outcome !== undefined && !target.deviates?.(outcome, expected, input)) {
      expect(outcome).toBe(expected);
    }
  });
});
