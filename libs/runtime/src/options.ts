import { OperatorError } from './error-codes.ts';
import { didYouMean } from './nearest-name.ts';
import { joinValues, type OptionType, printOptionValue, readOptionValue } from './option-value.ts';

type TypeOf<V> = [V] extends [boolean]
  ? 'bool'
  : [V] extends [number]
    ? 'int' | 'duration'
    : [V] extends [string]
      ? 'string' | 'path'
      : [V] extends [readonly string[]]
        ? 'list' | 'repeated'
        : 'map';

interface RowBase {
  /** The name on the command line, without dashes. */
  flag: string;
  /** Other names of the option. */
  aliases?: readonly string[];
  /** The environment variable; default: `ANNEX_` and the flag in capitals, none for `false`. */
  env?: string | false;
  /** The heading of the row in `--help`; {@link optionGroup} sets it. */
  group?: string;
  /** A sentence for `--help` and the documentation. */
  help: string;
  /** The value is never printed. */
  secret?: true;
  /** An empty text is invalid. */
  nonEmpty?: true;
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

/** A flag of the program that a command replaces, which the command itself does not have. */
export interface ForeignFlag {
  /** A boolean flag has no value, or one that is joined to it. */
  type: 'bool' | 'value';
  /** Accepted flags change nothing; refused ones are errors. */
  fate: 'accepted' | 'refused';
  /** Why; a sentence for the error message and the documentation. */
  why: string;
  /** Returns why the other program refuses a value. */
  problem?: (value: string) => string | undefined;
  /** Another foreign flag that must be true if this one is, and the error of the other program if it is not. */
  requires?: { flag: string; error: string };
}

/** Flags by name, without dashes. */
export type ForeignFlags = ReadonlyMap<string, ForeignFlag>;

/** The result of parsing a command line. */
export type ParsedOptions<C> =
  | { kind: 'config'; config: Validated<C>; withoutEffect: readonly string[] }
  | { kind: 'help' }
  | { kind: 'errors'; errors: readonly OperatorError[] };

/** A row of any table. */
export interface AnyRow extends RowBase {
  type: OptionType;
  default?: unknown;
  required?: true;
}

/** Sets the heading of a table's rows in `--help`. */
export const optionGroup = <T extends object>(group: string, table: T): T =>
  Object.fromEntries(Object.entries(table).map(([name, row]) => [name, { ...row, group }])) as T;

const rowsOf = (table: object): [string, AnyRow][] => Object.entries(table as Record<string, AnyRow>);
/** Returns the names of an option. */
export const flagsOf = (row: Pick<AnyRow, 'flag' | 'aliases'>): string[] => [
  row.flag,
  ...(row.aliases ?? []),
];

const envsOf = (row: AnyRow): string[] => {
  if (row.env === false) return [];
  if (row.env !== undefined) return [row.env];
  return flagsOf(row).map((flag) => `ANNEX_${flag.toUpperCase().replaceAll('-', '_')}`);
};

/** Returns the conflicts between options of a configuration. */
export type ConflictCheck<C> = (config: Readonly<C>) => string[];

/**
 * Reads options from the command line, then the environment, then the defaults. Returns the configuration, or
 * all errors together. As in kube-apiserver, the last value of a repeated option applies, lists are joined, and names may have
 * underscores. `foreign` are the flags that are known besides those of the table.
 */
export function parseOptions<C>(
  table: OptionsTable<C>,
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  conflicts: ConflictCheck<C> = () => [],
  foreign: ForeignFlags = new Map(),
): ParsedOptions<C> {
  const reader = new Reader(rowsOf(table), foreign);
  if (reader.commandLine(argv) === 'help') return { kind: 'help' };
  reader.environment(env);
  reader.defaults();
  const config = Object.freeze(Object.fromEntries(reader.values)) as Validated<C>;
  const errors = reader.errors;
  if (errors.length === 0) {
    errors.push(...conflicts(config).map((why) => new OperatorError('OPTION_CONFLICT', why)));
  }
  if (errors.length > 0) return { kind: 'errors', errors };
  return { kind: 'config', config, withoutEffect: [...reader.withoutEffect] };
}

class Reader {
  readonly values = new Map<string, unknown>();
  readonly errors: OperatorError[] = [];
  /** The accepted foreign flags of the command line. */
  readonly withoutEffect = new Set<string>();
  private readonly rows: [string, AnyRow][];
  private readonly byFlag: ReadonlyMap<string, [string, AnyRow]>;
  private readonly foreign: ForeignFlags;
  private readonly setFlags = new Set<string>();
  /** The foreign switches that are on. */
  private readonly foreignSwitches = new Set<string>();

  constructor(rows: [string, AnyRow][], foreign: ForeignFlags) {
    this.rows = rows;
    this.byFlag = new Map(rows.flatMap((entry) => flagsOf(entry[1]).map((flag) => [flag, entry] as const)));
    this.foreign = foreign;
  }

  commandLine(argv: readonly string[]): 'help' | 'read' {
    for (let i = 0; i < argv.length; i++) {
      const argument = longForm(argv[i] ?? '', this.foreign);
      if (argument === '--help' || argument === '-h') return 'help';
      const found = /^--([^=]+)(?:=(.*))?$/s.exec(argument);
      if (found === null) {
        this.errors.push(notAnOption(argument));
        // The next argument is its value.
        if (isShortOption(argument) && argv[i + 1]?.startsWith('-') === false) i++;
        continue;
      }
      const [, written = '', joined] = found;
      const flag = written.replaceAll('_', '-');
      const entry = this.byFlag.get(flag);
      if (entry === undefined) {
        // The next argument is its value.
        const next = argv[i + 1]?.startsWith('-') === false ? argv[i + 1] : undefined;
        if (this.other(flag, joined, next) === 'value' && joined === undefined && next !== undefined) i++;
        continue;
      }
      const [name, row] = entry;
      // As in Go, the value of a switch is joined to it or omitted.
      const text = joined ?? (row.type === 'bool' ? 'true' : argv[++i]);
      if (text === undefined) {
        this.errors.push(new OperatorError('OPTION_VALUE_MISSING', `--${flag} requires a value`));
      } else this.take(name, row, text, `--${flag}`);
    }
    for (const flag of this.foreignSwitches) {
      const required = this.foreign.get(flag)?.requires;
      if (required !== undefined && !this.foreignSwitches.has(required.flag))
        this.errors.push(new OperatorError('OPTION_CONFLICT', required.error));
    }
    return 'read';
  }

  /** Handles a flag that the table does not have. Returns whether a value may follow. */
  private other(flag: string, joined: string | undefined, next: string | undefined): ForeignFlag['type'] {
    const known = this.foreign.get(flag);
    const value = joined ?? next;
    if (known?.type === 'bool' && isOn.test(joined ?? 'true')) this.foreignSwitches.add(flag);
    const problem = value === undefined ? undefined : known?.problem?.(value);
    if (problem !== undefined) this.errors.push(new OperatorError('OPTION_CONFLICT', problem));
    else if (known?.fate === 'accepted') this.withoutEffect.add(flag);
    else if (known === undefined) {
      this.errors.push(new OperatorError('OPTION_UNKNOWN', `unknown option --${flag}${this.similar(flag)}`));
    } else this.errors.push(new OperatorError('OPTION_UNSUPPORTED', `--${flag}: ${known.why}`));
    return known?.type ?? 'value';
  }

  environment(env: Readonly<Record<string, string | undefined>>): void {
    const variables = new Map(Object.entries(env));
    for (const [name, row] of this.rows) {
      if (this.setFlags.has(name)) continue;
      const variable = envsOf(row).find((name) => variables.get(name) !== undefined);
      if (variable !== undefined) this.take(name, row, variables.get(variable) ?? '', variable);
    }
  }

  defaults(): void {
    for (const [name, row] of this.rows) {
      if (!this.setFlags.has(name)) this.setDefault(name, row);
    }
  }

  private setDefault(name: string, row: AnyRow): void {
    this.values.set(name, row.default);
    if (row.required) this.errors.push(new OperatorError('OPTION_REQUIRED', `--${row.flag} is required`));
  }

  private take(name: string, row: AnyRow, text: string, source: string): void {
    const repeated = this.setFlags.has(name);
    this.setFlags.add(name);
    if (text === '' && isUnset(row)) return this.setDefault(name, row);
    const read = readOptionValue(row.type, text);
    const problem = 'problem' in read ? read.problem : boundsProblem(row, read.value);
    if (problem !== undefined) {
      const shown = row.secret ? 'the value' : JSON.stringify(text);
      this.errors.push(new OperatorError('OPTION_VALUE_INVALID', `${source}: ${shown} ${problem}`));
    } else if ('value' in read) this.set(name, row, read.value, repeated);
  }

  private set(name: string, row: AnyRow, value: unknown, repeated: boolean): void {
    const joined = repeated && (isListType(row.type) || row.type === 'map');
    const before = joined ? (this.values.get(name) ?? (isListType(row.type) ? [] : {})) : undefined;
    this.values.set(name, joined ? joinValues(before, value) : value);
  }

  private similar(flag: string): string {
    return didYouMean(flag, [...this.byFlag.keys(), ...this.foreign.keys()], '--');
  }
}

const isShortOption = (argument: string): boolean => /^-[^-]/.test(argument);

/** Returns `--v` for `-v`, and `--v=4` for `-v4` and `-v=4`: kube-apiserver accepts all of them. */
const longForm = (argument: string, foreign: ForeignFlags): string => {
  const [, name = '', joined = ''] = /^-([a-z])(.*)$/s.exec(argument) ?? [];
  if (!foreign.has(name)) return argument;
  return joined === '' || joined.startsWith('=') ? `--${name}${joined}` : `--${name}=${joined}`;
};

/** A value of a switch that is true. Source: Go's `strconv.ParseBool`. */
const isOn = /^(?:1|t|T|true|TRUE|True)$/;

const notAnOption = (argument: string): OperatorError =>
  isShortOption(argument)
    ? new OperatorError('OPTION_UNKNOWN', `unknown option ${argument}; options begin with two dashes`)
    : new OperatorError('ARGUMENT_UNEXPECTED', `unexpected argument ${JSON.stringify(argument)}`);

/** As in kube-apiserver, an empty text is the same as no option if no other meaning is possible. */
const isUnset = ({ choices, default: fallback = '', type }: AnyRow): boolean =>
  type === 'path' || (type === 'string' && (fallback === '' || choices?.includes('') === false));

const isListType = (type: OptionType): boolean => type === 'list' || type === 'repeated';

function boundsProblem(row: AnyRow, value: unknown): string | undefined {
  const { choices, min, max } = row;
  if (choices !== undefined && typeof value === 'string' && !choices.includes(value)) {
    return `is not one of ${choices.join(', ')}`;
  }
  if (row.nonEmpty && value === '') return 'is empty';
  if (typeof value !== 'number') return undefined;
  if (min !== undefined && value < min) return `is less than ${printOptionValue(row.type, min)}`;
  if (max !== undefined && value > max) return `is more than ${printOptionValue(row.type, max)}`;
  return undefined;
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
    const flags = flagsOf(row).map((flag) => code(`--${flag}`));
    return `| ${flags.join(', ')} | ${envsOf(row).map(code).join(', ')} | ${row.type} | ${cell(fallback)} | ${cell(help)} |`;
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
