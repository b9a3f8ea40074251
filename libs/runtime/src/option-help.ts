import { styleText } from 'node:util';
import { exitCodes } from './exit-codes.ts';
import { type AnyRow, flagsOf, type OptionsTable } from './options.ts';
import { printOptionValue } from './option-value.ts';

const fewestColumns = 60;
const mostColumns = 120;
/** Columns of an option before its description. */
const mostHeadColumns = 34;

/** Formats the text of `--help`. On a terminal it has colors, and fits the width of the terminal. */
export function helpText<C>(usage: string, table: OptionsTable<C>): string {
  const groups = Map.groupBy(
    Object.values<AnyRow>(table as object as Record<string, AnyRow>),
    (row) => row.group ?? 'Options',
  );
  const rows = [...groups.values()].flat();
  const width = Math.min(mostHeadColumns, Math.max(...rows.map((row) => heading(row).length)) + 2);
  const sections = [...groups].map(([name, members]) =>
    section(
      name,
      members.map((row) => helpRow(heading(row), describe(row), width)),
    ),
  );
  const codes = Object.entries(exitCodes).map(([code, meaning]) => helpRow(code, meaning, 4));
  return [`${title('Usage')} ${usage}\n`, ...sections, section('Exit codes', codes)].join('\n');
}

/** Formats a part of a help text: a title, and lines. */
export const section = (name: string, lines: readonly string[]): string =>
  `${[title(name), ...lines].join('\n')}\n`;

/** Formats a name and its description on indented lines. */
export function helpRow(head: string, text: string, width: number): string {
  const lines = wrap(text, Math.max(20, terminalColumns() - width - 2));
  const indent = `\n${' '.repeat(width + 2)}`;
  const name = styleText('cyan', head);
  return head.length + 2 > width
    ? `  ${name}${indent}${lines.join(indent)}`
    : `  ${name}${' '.repeat(width - head.length)}${lines.join(indent)}`;
}

// styleText omits colors if standard output is no terminal, and obeys NO_COLOR.
const title = (name: string): string => styleText('bold', `${name}:`);

const terminalColumns = (): number =>
  Math.min(mostColumns, Math.max(fewestColumns, process.stdout.columns ?? mostColumns));

function wrap(text: string, columns: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > columns) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

function heading(row: AnyRow): string {
  const flags = flagsOf(row)
    .map((flag) => `--${flag}`)
    .join(', ');
  return row.type === 'bool' ? flags : `${flags} ${row.type}`;
}

function describe(row: AnyRow): string {
  const notes = [];
  if (row.choices !== undefined) notes.push(`one of ${row.choices.join(', ')}`);
  if (row.required) notes.push('required');
  const fallback = row.secret ? '' : printOptionValue(row.type, row.default);
  if (fallback !== '' && fallback !== 'false') notes.push(`default ${fallback}`);
  return notes.length === 0 ? row.help : `${row.help} (${notes.join('; ')})`;
}
