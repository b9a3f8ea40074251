import { expect, it } from 'vitest';
import { requireEtcd } from '../faults/etcd-members.ts';
import { runRound } from '../faults/round.ts';
import { type Target, targets } from '../faults/targets.ts';

/** Enough for each kind of fault of one process. */
const faultCount = 8;

/** A fault of each kind: the others of replicas are the same on other processes, or take longer. */
const faultsOfReplicas = new Set([
  'rolling upgrade',
  'partition annex-1 from etcd',
  'kill -9 the leader of etcd',
  'compaction of etcd',
]);

it('nothing acknowledged is lost, and reads, lists and watches agree, while the process is killed, restarted and paused', async () => {
  await using target = await targets.get('single')!();
  await expectNoViolation(target, faultCount);
});

it.runIf(requireEtcd('faults of replicas'))(
  'two replicas on etcd agree while they are upgraded and cut off, and etcd loses its leader and its history',
  async () => {
    await using target = await targets.get('mixed')!();
    const faults = target.faults.filter(
      ({ name }, i, all) => faultsOfReplicas.has(name) && all.findIndex((fault) => fault.name === name) === i,
    );
    expect(faults).toHaveLength(faultsOfReplicas.size);
    await expectNoViolation({ ...target, faults }, faults.length);
  },
);

async function expectNoViolation(
  { servers, faults }: Pick<Target, 'servers' | 'faults'>,
  count: number,
): Promise<void> {
  const seed = Math.floor(Math.random() * 2 ** 31);
  const options = { servers, faults, faultCount: count, seed, namespace: 'faults' };
  const { history, violations, isExpired } = await runRound(options);
  expect({ violations, isExpired }, `seed ${seed}`).toEqual({ violations: [], isExpired: false });
  const outcomes = new Set(history.writes.map(({ outcome }) => outcome.type));
  expect(outcomes).toEqual(new Set(['done', 'refused', 'unknown']));
}
