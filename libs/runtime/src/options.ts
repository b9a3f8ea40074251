import { OperatorError } from './error-codes.ts';
import { joinValues, type OptionType, printOptionValue, readOptionValue } from './option-value.ts';

type TypeOf<V> = [V] extends [boolean]
  ? 'bool'
  : [V] extends [number]
    ? 'int' | 'duration'
    : [V] extends [string]
      ? 'string' | 'path'
      : [V] extends [readonly string[]]
        ? 'list'
        : 'map';

interface RowBase {
  /** The name on the command line, without dashes. */
  flag: string;
  /** The environment variable; default: `ANNEX_` and the flag in capitals, none for `false`. */
  env?: string | false;
  /** A sentence for `--help` and the documentation. */
  help: string;
  /** The value is never printed. */
  secret?: true;
  /** The only allowed values. */
  choices?: readonly string[];
  /** Bounds of a number. */
  min?: number;
  max?: number;
}

/** One option: its notation, its type, and its default. */
export type OptionRow<V> = RowBase & { type: TypeOf<NonNullable<V>> } & (undefined extends V
    ? { default?: undefined }
    : { default: V } | { required: true });

/** One row for each property of a configuration; a property without a row is a compile error. */
export type OptionsTable<C> = { readonly [K in keyof C]-?: OptionRow<C[K]> };

declare const validated: unique symbol;

/** A configuration that `parseOptions` returned. Frozen. */
export type Validated<C> = Readonly<C> & { readonly [validated]: true };

/** The result of parsing a command line. */
export type ParsedOptions<C> =
  | { kind: 'config'; config: Validated<C> }
  | { kind: 'help' }
  | { kind: 'errors'; errors: readonly OperatorError[] };

interface AnyRow extends RowBase {
  type: OptionType;
  default?: unknown;
  required?: true;
}

const rowsOf = (table: object): [string, AnyRow][] => Object.entries(table as Record<string, AnyRow>);
const envOf = (row: AnyRow): string | undefined =>
  row.env === false ? undefined : (row.env ?? `ANNEX_${row.flag.toUpperCase().replaceAll('-', '_')}`);

/** Returns the conflicts between options of a configuration. */
export type ConflictCheck<C> = (config: Readonly<C>) => string[];

/**
 * Reads options from the command line, then the environment, then the defaults. Returns the configuration, or
 * all errors together.
 */
export function parseOptions<C>(
  table: OptionsTable<C>,
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  conflicts: ConflictCheck<C> = () => [],
): ParsedOptions<C> {
  const reader = new Reader(rowsOf(table));
  if (reader.commandLine(argv) === 'help') return { kind: 'help' };
  reader.environment(env);
  reader.defaults();
  const config = Object.freeze(Object.fromEntries(reader.values)) as Validated<C>;
  const errors = reader.errors;
  if (errors.length === 0) {
    errors.push(...conflicts(config).map((why) => new OperatorError('OPTION_CONFLICT', why)));
  }
  return errors.length === 0 ? { kind: 'config', config } : { kind: 'errors', errors };
}

class Reader {
  readonly values = new Map<string, unknown>();
  readonly errors: OperatorError[] = [];
  private readonly rows: [string, AnyRow][];
  private readonly setFlags = new Set<string>();

  constructor(rows: [string, AnyRow][]) {
    this.rows = rows;
  }

  commandLine(argv: readonly string[]): 'help' | 'read' {
    for (let i = 0; i < argv.length; i++) {
      const argument = argv[i] ?? '';
      if (argument === '--help' || argument === '-h') return 'help';
      const found = /^--([^=]+)(?:=(.*))?$/s.exec(argument);
      if (found === null) {
        this.errors.push(
          new OperatorError('ARGUMENT_UNEXPECTED', `unexpected argument ${JSON.stringify(argument)}`),
        );
        continue;
      }
      const [, flag = '', joined] = found;
      const entry = this.rows.find(([, row]) => row.flag === flag);
      if (entry === undefined) {
        this.errors.push(
          new OperatorError('OPTION_UNKNOWN', `unknown option --${flag}${this.similar(flag)}`),
        );
        // The next argument is its value.
        if (joined === undefined && argv[i + 1]?.startsWith('-') === false) i++;
        continue;
      }
      const [name, row] = entry;
      // As in Go, the value of a switch is joined to it or omitted.
      const text = joined ?? (row.type === 'bool' ? 'true' : argv[++i]);
      if (text === undefined) {
        this.errors.push(new OperatorError('OPTION_VALUE_MISSING', `--${flag} requires a value`));
      } else this.take(name, row, text, `--${flag}`);
    }
    return 'read';
  }

  environment(env: Readonly<Record<string, string | undefined>>): void {
    for (const [name, row] of this.rows) {
      const variable = envOf(row);
      if (variable === undefined || !Object.hasOwn(env, variable) || this.setFlags.has(name)) continue;
      const text = env[variable];
      if (text !== undefined) this.take(name, row, text, variable);
    }
  }

  defaults(): void {
    for (const [name, row] of this.rows) {
      if (this.setFlags.has(name)) continue;
      this.values.set(name, row.default);
      if (row.required) this.errors.push(new OperatorError('OPTION_REQUIRED', `--${row.flag} is required`));
    }
  }

  private take(name: string, row: AnyRow, text: string, source: string): void {
    const repeated = this.setFlags.has(name);
    this.setFlags.add(name);
    const read = readOptionValue(row.type, text);
    const problem = 'problem' in read ? read.problem : boundsProblem(row, read.value);
    if (problem !== undefined) {
      const shown = row.secret ? 'the value' : JSON.stringify(text);
      this.errors.push(new OperatorError('OPTION_VALUE_INVALID', `${source}: ${shown} ${problem}`));
    } else if ('value' in read) this.set(name, row, read.value, repeated);
  }

  private set(name: string, row: AnyRow, value: unknown, repeated: boolean): void {
    if (!repeated || row.type === 'bool') this.values.set(name, value);
    else if (row.type === 'list' || row.type === 'map') {
      this.values.set(name, joinValues(this.values.get(name) ?? (row.type === 'list' ? [] : {}), value));
    } else {
      this.errors.push(new OperatorError('OPTION_REPEATED', `--${row.flag} is set more than once`));
    }
  }

  private similar(flag: string): string {
    const near = this.rows.find(([, row]) => row.flag.startsWith(flag) || flag.startsWith(row.flag));
    return near === undefined ? '' : `; did you mean --${near[1].flag}?`;
  }
}

function boundsProblem(row: AnyRow, value: unknown): string | undefined {
  const { choices, min, max } = row;
  if (choices !== undefined && typeof value === 'string' && !choices.includes(value)) {
    return `is not one of ${choices.join(', ')}`;
  }
  if (typeof value !== 'number') return undefined;
  if (min !== undefined && value < min) return `is less than ${printOptionValue(row.type, min)}`;
  if (max !== undefined && value > max) return `is more than ${printOptionValue(row.type, max)}`;
  return undefined;
}

/** Formats the text of `--help`. */
export function helpText<C>(usage: string, table: OptionsTable<C>): string {
  const rows = rowsOf(table).map(([, row]) => [heading(row), describe(row)] as const);
  const width = Math.min(34, Math.max(...rows.map(([head]) => head.length)) + 2);
  const lines = rows.map(([head, text]) =>
    head.length + 2 > width ? `  ${head}\n  ${' '.repeat(width)}${text}` : `  ${head.padEnd(width)}${text}`,
  );
  return [`Usage: ${usage}`, '', 'Options:', ...lines, ''].join('\n');
}

const heading = (row: AnyRow): string =>
  row.type === 'bool' ? `--${row.flag}` : `--${row.flag} ${row.type}`;

function describe(row: AnyRow): string {
  const notes = [];
  if (row.choices !== undefined) notes.push(`one of ${row.choices.join(', ')}`);
  if (row.required) notes.push('required');
  const fallback = row.secret ? '' : printOptionValue(row.type, row.default);
  if (fallback !== '' && fallback !== 'false') notes.push(`default ${fallback}`);
  return notes.length === 0 ? row.help : `${row.help} (${notes.join('; ')})`;
}

/** Formats a Markdown table for the documentation. */
export function optionsMarkdown<C>(table: OptionsTable<C>): string {
  const cell = (text: string) => text.replaceAll('|', '\\|');
  const code = (text: string | undefined) => (text ? `\`${text}\`` : '');
  const lines = rowsOf(table).map(([, row]) => {
    const fallback = row.required
      ? 'required'
      : row.secret
        ? ''
        : code(printOptionValue(row.type, row.default));
    const help =
      row.choices === undefined ? row.help : `${row.help} One of ${row.choices.map(code).join(', ')}.`;
    return `| ${code(`--${row.flag}`)} | ${code(envOf(row))} | ${row.type} | ${cell(fallback)} | ${cell(help)} |`;
  });
  return [
    '| option | environment | type | default | meaning |',
    '| --- | --- | --- | --- | --- |',
    ...lines,
    '',
  ].join('\n');
}

/** Returns the option values of a process for its startup log, by flag; secrets are omitted. */
export function startupValues<C>(table: OptionsTable<C>, config: Validated<C>): Record<string, string> {
  const values = new Map(Object.entries(config));
  return Object.fromEntries(
    rowsOf(table)
      .map(([name, row]) => [row, values.get(name)] as const)
      .filter(([, value]) => value !== undefined)
      .map(([row, value]) => [row.flag, row.secret ? '[redacted]' : printOptionValue(row.type, value)]),
  );
}
