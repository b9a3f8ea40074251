import { describe, expect, test } from 'vitest';
import { helpText } from './option-help.ts';
import {
  type ForeignFlag,
  type ForeignFlags,
  optionsMarkdown,
  type OptionsTable,
  parseOptions,
  startupValues,
} from './options.ts';

interface Config {
  dataDir: string;
  port: number;
  ephemeral: boolean;
  controllers: readonly string[];
  grace: number;
  labels: Readonly<Record<string, string>>;
  level: string;
  token?: string;
}

const table: OptionsTable<Config> = {
  dataDir: { flag: 'data-dir', type: 'path', default: '.annex', help: 'Where data is kept.' },
  port: {
    flag: 'port',
    aliases: ['secure-port'],
    type: 'int',
    default: 6443,
    min: 0,
    max: 65535,
    help: 'The port.',
  },
  ephemeral: { flag: 'ephemeral', type: 'bool', default: false, help: 'Keep nothing.' },
  controllers: { flag: 'controllers', type: 'list', default: ['*'], help: 'What runs.' },
  grace: { flag: 'grace', type: 'duration', default: 10_000, help: 'How long to wait.' },
  labels: { flag: 'labels', type: 'map', default: {}, help: 'Labels.' },
  level: {
    flag: 'level',
    type: 'string',
    default: 'info',
    choices: ['info', 'error'],
    help: 'How much to log.',
  },
  token: { flag: 'token', type: 'string', secret: true, help: 'A token.' },
};

const defaults = {
  dataDir: '.annex',
  port: 6443,
  ephemeral: false,
  controllers: ['*'],
  grace: 10_000,
  labels: {},
  level: 'info',
};

const config = (argv: string[], env = {}) => {
  const parsed = parseOptions(table, argv, env);
  if (parsed.kind !== 'config') throw new Error(`no configuration: ${JSON.stringify(parsed)}`);
  return parsed.config;
};

describe('a command line gives', () => {
  test.each<[string, string[], Partial<Config>]>([
    ['the defaults', [], {}],
    ['a value after a space', ['--port', '1'], { port: 1 }],
    ['a value after an equals sign', ['--data-dir=a=b'], { dataDir: 'a=b' }],
    ['a switch', ['--ephemeral'], { ephemeral: true }],
    ['a switch that is off', ['--ephemeral=false'], { ephemeral: false }],
    ['an empty list', ['--controllers='], { controllers: [] }],
    ['the default for an empty path', ['--data-dir=a', '--data-dir='], {}],
    ['the default for an empty choice', ['--level='], {}],
    ['nothing for an empty text without a default', ['--token='], {}],
    ['a repeated list', ['--controllers=a,b', '--controllers', 'c'], { controllers: ['a', 'b', 'c'] }],
    ['the last of several values', ['--port=1', '--port=2'], { port: 2 }],
    ['an option with an underscore in its name', ['--data_dir=x_y'], { dataDir: 'x_y' }],
    ['an option by its other name', ['--secure-port=3'], { port: 3 }],
    ['a map', ['--labels', 'a=b,c=d=e'], { labels: { a: 'b', c: 'd=e' } }],
    ['a duration', ['--grace=1h30m'], { grace: 5_400_000 }],
  ])('%s', (_what, argv, expected) => expect(config(argv)).toEqual({ ...defaults, ...expected }));
});

test('the command line precedes the environment, which precedes the default', () => {
  const env = { ANNEX_PORT: '2', ANNEX_DATA_DIR: '/x' };
  expect(config(['--port=1'], env)).toMatchObject({ port: 1, dataDir: '/x' });
});

test('an empty text on the command line precedes the environment', () => {
  expect(config(['--data-dir='], { ANNEX_DATA_DIR: '/x' })).toMatchObject({ dataDir: '.annex' });
});

test('an empty text is an error where it has no meaning', () => {
  const address = { flag: 'address', type: 'string', default: '::1', nonEmpty: true, help: '' } as const;
  expect(parseOptions({ address }, ['--address='], {})).toMatchObject({
    errors: [{ code: 'OPTION_VALUE_INVALID', message: '--address: "" is empty' }],
  });
});

test('each name of an option has an environment variable', () => {
  expect(config([], { ANNEX_SECURE_PORT: '4' })).toMatchObject({ port: 4 });
});

describe('flags of another program', () => {
  const foreign: ForeignFlags = new Map<string, ForeignFlag>([
    ['profiling', { type: 'bool', fate: 'accepted', why: 'There are no profiles.' }],
    ['v', { type: 'value', fate: 'accepted', why: 'Logs have other levels.' }],
    [
      'size',
      {
        type: 'value',
        fate: 'accepted',
        why: 'No limit.',
        problem: (text) => (text === '0' ? 'no size' : undefined),
      },
    ],
    [
      'locks',
      { type: 'bool', fate: 'accepted', why: '', requires: { flag: 'profiling', error: 'no profiling' } },
    ],
    ['encrypt', { type: 'value', fate: 'refused', why: 'nothing is encrypted' }],
  ]);
  const read = (...argv: string[]) => parseOptions(table, argv, {}, undefined, foreign);

  test('those that change nothing are accepted with their values, and named once', () => {
    const parsed = read('--profiling', '--v', '4', '--port=1', '--profiling=false');
    expect(parsed).toMatchObject({ config: { port: 1 }, withoutEffect: ['profiling', 'v'] });
  });

  test.each([[['-v=4']], [['-v', '4']], [['-v4']]])('one of a letter is accepted: %s', (argv) => {
    expect(read(...argv, '--port=1')).toMatchObject({ config: { port: 1 }, withoutEffect: ['v'] });
  });

  test.each([[['--size=0']], [['--size', '0']]])(
    'a value that the other program refuses is refused: %s',
    (argv) => {
      expect(read(...argv)).toMatchObject({ errors: [{ code: 'OPTION_CONFLICT', message: 'no size' }] });
      expect(read('--size=1')).toMatchObject({ withoutEffect: ['size'] });
    },
  );

  test.each([[['--locks']], [['--locks=true', '--profiling=false']]])(
    'a switch without the one that it requires is refused: %s',
    (argv) => {
      expect(read(...argv)).toMatchObject({ errors: [{ code: 'OPTION_CONFLICT', message: 'no profiling' }] });
      expect(read('--locks', '--profiling', '--port=1')).toMatchObject({ kind: 'config' });
      expect(read('--locks=false', '--port=1')).toMatchObject({ kind: 'config' });
    },
  );

  test('those that cannot be ignored are refused, and others get the nearest name', () => {
    expect(read('--encrypt', 'x', '--profilin=x')).toMatchObject({
      errors: [
        { code: 'OPTION_UNSUPPORTED', message: '--encrypt: nothing is encrypted' },
        { code: 'OPTION_UNKNOWN', message: 'unknown option --profilin; did you mean --profiling?' },
      ],
    });
  });
});

test('a configuration is frozen', () => {
  expect(Object.isFrozen(config([]))).toBe(true);
  expect(Object.isFrozen(config(['--controllers=a']).controllers)).toBe(true);
});

test('all errors are reported together, with their codes', () => {
  const argv = ['--port=x', '--prt', '5', 'word', '--token=a', '--token=b', '--level=loud', '--data-dir'];
  const parsed = parseOptions(table, argv, { ANNEX_GRACE: 'soon' });
  if (parsed.kind !== 'errors') throw new Error('no errors');
  expect(parsed.errors.map((error) => [error.code, error.message])).toEqual([
    ['OPTION_VALUE_INVALID', '--port: "x" is not a whole number'],
    ['OPTION_UNKNOWN', 'unknown option --prt; did you mean --port?'],
    ['ARGUMENT_UNEXPECTED', 'unexpected argument "word"'],
    ['OPTION_VALUE_INVALID', '--level: "loud" is not one of info, error'],
    ['OPTION_VALUE_MISSING', '--data-dir requires a value'],
    ['OPTION_VALUE_INVALID', 'ANNEX_GRACE: "soon" is not a duration such as 500ms, 30s or 1h30m'],
  ]);
});

test('a required option and a rule between options are checked', () => {
  const needed: OptionsTable<{ name: string }> = {
    name: { flag: 'name', type: 'string', required: true, help: 'A name.' },
  };
  expect(parseOptions(needed, [], {})).toMatchObject({
    kind: 'errors',
    errors: [{ code: 'OPTION_REQUIRED' }],
  });
  const clash = parseOptions(needed, ['--name=a'], {}, () => ['--name needs --other']);
  expect(clash).toMatchObject({ errors: [{ code: 'OPTION_CONFLICT', message: '--name needs --other' }] });
});

test('help is printed only on request', () => {
  expect(parseOptions(table, ['--port=x', '--help'], {})).toEqual({ kind: 'help' });
  expect(helpText('annex up [options]', table)).toContain(
    '  --port, --secure-port int  The port. (default 6443)\n  --ephemeral                Keep nothing.\n',
  );
});

test('the documentation has a row for each option', () => {
  expect(optionsMarkdown(table)).toContain(
    '| `--level` | `ANNEX_LEVEL` | string | `info` | How much to log. One of `info`, `error`. |',
  );
  expect(optionsMarkdown(table).trim().split('\n')).toHaveLength(2 + Object.keys(table).length);
});

test('secrets are not shown at start', () => {
  expect(startupValues(table, config(['--token=s3cret', '--grace=1m']))).toEqual({
    'data-dir': '.annex',
    port: '6443',
    ephemeral: 'false',
    controllers: '*',
    grace: '1m',
    labels: '',
    level: 'info',
    token: '[redacted]',
  });
});
