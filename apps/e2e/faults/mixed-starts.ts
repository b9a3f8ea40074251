import { execFileSync } from 'node:child_process';
import { annexCommand, annexNode } from '../runners/annex-command.ts';
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

/** Returns the configurations and versions of the starts of a replica, in turn. The other version gets the options that it has. */
export function mixedStarts(first: number): () => StartVariant {
  const added = otherCommand === undefined ? new Set() : addedOptions(otherCommand);
  let start = first;
  return () => {
    const command = start % 2 === 0 ? undefined : otherCommand;
    const args = configurations[start++ % configurations.length]!;
    return { command, args: command === undefined ? args : args.filter((arg) => !added.has(nameOf(arg))) };
  };
}

const nameOf = (arg: string): string => arg.split('=', 1)[0]!;

/** Returns the options of this version that the other one does not list. */
const addedOptions = (other: string): Set<string> =>
  listedOptions(annexCommand).difference(listedOptions(other));

function listedOptions(command: string): Set<string> {
  const help = execFileSync(annexNode, [command, 'up', '--help'], { encoding: 'utf8' });
  return new Set(help.match(/(?<=^ +)--[\w-]+/gm));
}
