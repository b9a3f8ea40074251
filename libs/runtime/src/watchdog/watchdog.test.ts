import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { maxFrames } from './watchdog.ts';

const program = fileURLToPath(new URL('./watched-process.fixture.ts', import.meta.url));

function start(maxStallMs: number, stall: string, format = 'text') {
  const child = spawn(process.execPath, [program, String(maxStallMs), format, stall]);
  const output = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.err += text));
  const ended = (async () => {
    const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
    return { code, signal, ...output };
  })();
  return { child, ended };
}

test.each([
  ['a loop', 'loop', /stack="at loop \(\S+watched-process\.fixture\.ts:23:\d+\)\\nat <anonymous> \(/],
  ['microtasks that queue microtasks', 'microtasks', /stack="at next \(\S+watched-process\.fixture\.ts:/],
  ['a computation of OpenSSL', 'crypto', /stack="unknown, the thread is inside of a native call"/],
  ['another thread', 'a loop in another thread', /stack="unknown, the thread is not the main thread"/],
  ['a blocking read', 'read', /stack="unknown, the thread is inside of a native call"/],
])(
  'a process that is stuck in %s logs its stack and ends with exit code 70',
  async (_, stall, stack) => {
    const { code, signal, err } = await start(500, stall).ended;
    expect({ code, signal }).toEqual({ code: 70, signal: null });
    expect(err).toMatch(/^\S+Z E the event loop is stuck: ending the process stuckMs=\d+ exitCode=70 stack=/);
    expect(err).toMatch(stack);
    expect(err.split('\n')).toHaveLength(2);
  },
  20_000,
);

test('a process that is stuck in a regular expression logs JSON if its log is JSON', async () => {
  const { code, err } = await start(500, 'regex', 'json').ended;
  expect(code).toBe(70);
  expect(JSON.parse(err)).toEqual({
    level: 'error',
    time: expect.stringMatching(/^\d{4}-\S+Z$/) as string,
    stuckMs: expect.any(Number) as number,
    exitCode: 70,
    stack: expect.stringMatching(/^at matchForever \(.+watched-process\.fixture\.ts:14:\d+\)\n/) as string,
    msg: 'the event loop is stuck: ending the process',
  });
}, 20_000);

test('a stack that is deeper than maxFrames is logged by its innermost frames', async () => {
  const { code, err } = await start(500, 'a deep recursion').ended;
  expect(code).toBe(70);
  expect(err.match(/at (matchForever|recurse) \(/g)).toHaveLength(maxFrames);
}, 20_000);

test('a process that logs nothing ends without a line', async () => {
  expect(await start(500, 'loop', 'off').ended).toMatchObject({ code: 70, err: '' });
}, 20_000);

// The limit is `--max-loop-stall`.
describe.concurrent('processes that wait', () => {
  test.each([
    [
      'stalls that are shorter than the limit',
      900,
      'turns',
      'ready\n4 stalls: true, longest above 0.1 s: true\n',
    ],
    ['a long time without work', 500, 'idle', 'ready\n'],
    ['a limit that no timer can wait for', 40 * 86_400_000, 'a short stall', 'ready\n'],
    ['nothing to do: the watchdog keeps no process alive', 10_000, 'nothing', 'ready\n'],
  ])(
    'a process continues with %s',
    async (_, maxStallMs, stall, out) => {
      expect(await start(maxStallMs, stall).ended).toEqual({ code: 0, signal: null, out, err: '' });
    },
    20_000,
  );

  test('0 switches the watchdog off', async () => {
    const { child, ended } = start(0, 'read');
    await once(child.stdout, 'data');
    // The byte that the read waits for.
    setTimeout(() => child.stdin.end('x'), 1_500);
    expect(await ended).toMatchObject({ code: 0, err: '' });
  }, 20_000);

  test.skipIf(process.platform === 'win32')(
    'a process that was suspended is not stuck',
    async () => {
      const { child, ended } = start(600, 'idle');
      await once(child.stdout, 'data');
      child.kill('SIGSTOP');
      setTimeout(() => child.kill('SIGCONT'), 2_500);
      expect(await ended).toMatchObject({ code: 0, err: '' });
    },
    20_000,
  );

  test.skipIf(process.platform === 'win32')(
    // The limit is endTimeoutMs.
    'a process whose exit hangs is killed',
    async () => {
      const { ended } = start(500, 'read, while another read holds a thread of the pool');
      expect(await ended).toMatchObject({ code: null, signal: 'SIGKILL' });
    },
    20_000,
  );
});
