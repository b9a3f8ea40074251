import { describe, expect, it } from 'vitest';
import { commandEnd, type CommandEnd } from './command.ts';

const sh = (script: string) => ['/bin/sh', '-c', script];
const after = (seconds: number, exitCode = 0): CommandEnd => ({ afterMs: seconds * 1000, exitCode });

const cases: [name: string, command: string[], expected: CommandEnd | undefined][] = [
  ['sleep ends after its seconds', ['sleep', '5'], after(5)],
  ['sleep knows units and fractions', ['/bin/sleep', '1.5m'], after(90)],
  ['sleep infinity never ends', ['sleep', 'infinity'], after(Infinity)],
  ['true succeeds', ['/bin/true'], after(0)],
  ['false fails', ['/bin/false'], after(0, 1)],
  ['a script ends with its last statement', sh('echo hi; sleep 2 && sleep 1; false'), after(3, 1)],
  ['exit ends a script', sh('sleep 1; exit 42; sleep 9'), after(1, 42)],
  ['an empty script succeeds', sh(''), after(0)],
  ['expressions of a shell are not computed', sh('exit $(( $RANDOM / 16384 ))'), undefined],
  ['output into files is not computed', sh('echo a > b'), undefined],
  ['what follows a failure is not computed', sh('false; sleep 1'), undefined],
  ['alternatives are not computed', sh('false || true'), undefined],
  ['other commands are not known', ['nginx', '-g', 'daemon off;'], undefined],
  ['sleep needs one number', ['sleep', 'long'], undefined],
  ['a script of a real program is not read', sh('sleep 1;'.repeat(200)), undefined],
];

describe('a container with a command', () => {
  for (const [name, command, expected] of cases)
    it(name, () => expect(commandEnd({ name: 'c', image: 'i', command })).toEqual(expected));

  it('without a command runs the program of its image', () =>
    expect(commandEnd({ name: 'c', image: 'i', args: ['sleep', '5'] })).toBeUndefined());

  it('has the arguments after its command', () =>
    expect(commandEnd({ name: 'c', image: 'i', command: ['sh', '-c'], args: ['exit 3'] })).toEqual(
      after(0, 3),
    ));
});
