import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const fixture = fileURLToPath(new URL('start-flags.fixture.ts', import.meta.url));

test.each<[what: string, args: string[], nodeArgs: string[], printed: string]>([
  ['a server optimizes code from the first connection on', ['up', '3000', '1000000'], [], 'false true\n'],
  ['a command optimizes code immediately', ['check', '1000000', '1000000'], [], 'true true\n'],
  [
    'flags of the user stay as they are',
    ['up', '3000', '3000'],
    ['--no-maglev', '--no-turbofan'],
    'false false\n',
  ],
])('%s', async (_what, args, nodeArgs, printed) => {
  const env = { ...process.env, NODE_OPTIONS: undefined };
  const { stdout } = await promisify(execFile)(process.execPath, [...nodeArgs, fixture, ...args], { env });
  expect(stdout).toBe(printed);
});
