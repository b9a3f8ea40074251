import type { StartVariant } from '../runners/runner.ts';

/** The command of another version of Annex, from `ANNEX_OTHER_COMMAND`: each second start of a replica is one of it. */
const otherCommand = process.env.ANNEX_OTHER_COMMAND;

/** Configurations of replicas that an operator changes one after the other: an odd number, so that each meets both versions. */
const configurations: readonly (readonly string[])[] = [
  [],
  [
    '--enable-priority-and-fairness=false',
    '--max-requests-inflight=50',
    '--max-mutating-requests-inflight=20',
  ],
  ['--enable-admission-plugins=ServiceAccount', '--feature-gates=WatchList=false'],
  ['--serving-threads=2'],
  ['--disable-admission-plugins=LimitRanger,ResourceQuota', '--watch-cache=false'],
];

/** Returns the configurations and versions of the starts of a replica, in turn. */
export function mixedStarts(first: number): () => StartVariant {
  let start = first;
  return () => {
    const command = start % 2 === 0 ? undefined : otherCommand;
    return { command, args: configurations[start++ % configurations.length]! };
  };
}
