import { mkdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { OperatorError } from './error-codes.ts';
import { errorsText } from './error-text.ts';

const thrownBy = (run: () => unknown): unknown => {
  try {
    return run();
  } catch (error) {
    return error;
  }
};

it('prints the code, the message and the next step', () => {
  expect(errorsText([new OperatorError('PORT_IN_USE', '127.0.0.1:6443 is in use')])).toBe(
    'PORT_IN_USE: 127.0.0.1:6443 is in use\n  Stop it, or choose another port with --port; 0 selects a free one.\n',
  );
});

it('prints the next step of several errors with one code once', () => {
  const errors = ['a', 'b'].map((flag) => new OperatorError('OPTION_REQUIRED', `--${flag} is required`));
  expect(errorsText([...errors, new OperatorError('STORE_MISSING', 'c contains no store')])).toBe(
    'OPTION_REQUIRED: --a is required\n' +
      'OPTION_REQUIRED: --b is required\n' +
      '  Set the option on the command line, or set its environment variable.\n' +
      'STORE_MISSING: c contains no store\n  Check --data-dir or --store-dir. The first start of `annex up` creates the store.\n',
  );
});

it.each([
  [
    'cannot be read',
    () => readFileSync('/nonexistent/a'),
    'FILE_UNREADABLE: ENOENT: no such file or directory, open',
  ],
  [
    'cannot be created',
    () => mkdirSync('/nonexistent/a'),
    'FILE_UNWRITABLE: ENOENT: no such file or directory, mkdir',
  ],
  [
    'does not fit on the disk',
    () => {
      throw Object.assign(new Error('ENOSPC: no space left on device, write'), {
        code: 'ENOSPC',
        syscall: 'write',
        path: 'a',
      });
    },
    'DISK_FULL: ENOSPC: no space left on device, write',
  ],
])('a file that %s has no stack', (_, run, expected) => {
  const text = errorsText([thrownBy(run)]);
  expect(text).toContain(expected);
  expect(text).not.toMatch(/^ +at /m);
});

it('an unexpected error has its stack, and is to be reported', () => {
  const text = errorsText([new TypeError('x is not a function')]);
  expect(text).toMatch(/^UNEXPECTED_ERROR: TypeError: x is not a function\n {4}at /);
  expect(text).toMatch(/Report it/);
});
