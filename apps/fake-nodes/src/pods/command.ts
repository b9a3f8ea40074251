import type { Container } from './pod.ts';

/** How a container ends by its command. */
export interface CommandEnd {
  /** Milliseconds from its start; `Infinity`: never. */
  afterMs: number;
  exitCode: number;
}

/** Characters of a script that is read; longer ones are those of real programs. */
const readCharacters = 1_000;

const secondsOf: ReadonlyMap<string, number> = new Map([
  ['', 1],
  ['s', 1],
  ['m', 60],
  ['h', 3_600],
  ['d', 86_400],
]);
const shells = new Set(['sh', 'ash', 'bash', 'dash']);

/**
 * Returns how a container ends whose command is `sleep 5`, `true`, `false`, or a shell with a script of these, `exit 1` and `echo`.
 * `undefined` for all others.
 */
export function commandEnd({ command = [], args = [] }: Container): CommandEnd | undefined {
  // Without a command, arguments are those of the image's program.
  if (command.length === 0) return undefined;
  const [program = '', ...rest] = [...command, ...args];
  const name = baseName(program);
  if (!shells.has(name)) return statementEnd([name, ...rest]);
  const [option, script] = rest;
  return option === '-c' && script !== undefined && script.length <= readCharacters
    ? scriptEnd(script)
    : undefined;
}

function scriptEnd(script: string): CommandEnd | undefined {
  let afterMs = 0;
  let exitCode = 0;
  for (const statement of script.split(/[;\n]|&&/)) {
    const words = statement
      .trim()
      .split(' ')
      .filter((word) => word !== '');
    const [name = ''] = words;
    if (name === '') continue;
    // What follows a failure depends on more than is read here.
    if (exitCode !== 0) return undefined;
    const end = statementEnd([baseName(name), ...words.slice(1)]);
    if (end === undefined) return undefined;
    afterMs += end.afterMs;
    ({ exitCode } = end);
    if (name === 'exit') break;
  }
  return { afterMs, exitCode };
}

function statementEnd([name = '', ...words]: readonly string[]): CommandEnd | undefined {
  const [word = ''] = words;
  if (name === 'sleep' && words.length === 1) {
    const afterMs = sleepMs(word);
    return afterMs === undefined ? undefined : { afterMs, exitCode: 0 };
  }
  if (words.length === 0 && (name === 'true' || name === 'false'))
    return { afterMs: 0, exitCode: name === 'true' ? 0 : 1 };
  if (name === 'exit' && words.length < 2 && /^\d{0,3}$/.test(word))
    return { afterMs: 0, exitCode: Number(word) % 256 };
  return name === 'echo' && words.every(isPlain) ? { afterMs: 0, exitCode: 0 } : undefined;
}

function sleepMs(text: string): number | undefined {
  if (text === 'infinity') return Infinity;
  const [, amount, unit = ''] = /^(\d{1,9}(?:\.\d{1,9})?)([smhd]?)$/.exec(text) ?? [];
  return amount === undefined ? undefined : Number(amount) * (secondsOf.get(unit) ?? 1) * 1000;
}

const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
const isPlain = (word: string): boolean => !/[$`|<>&()]/.test(word);
