import { expect, it } from 'vitest';
import { runRound } from '../faults/round.ts';
import { targets } from '../faults/targets.ts';

/** Enough for each kind of fault of one process. */
const faultCount = 8;

it('nothing acknowledged is lost, and reads, lists and watches agree, while the process is killed, restarted and paused', async () => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  await using target = await targets.get('single')!();
  const { history, violations, isExpired } = await runRound({
    ...target,
    faultCount,
    seed,
    namespace: 'faults',
  });
  expect({ violations, isExpired }, `seed ${seed}`).toEqual({ violations: [], isExpired: false });
  const outcomes = new Set(history.writes.map(({ outcome }) => outcome.type));
  expect(outcomes).toEqual(new Set(['done', 'refused', 'unknown']));
});
