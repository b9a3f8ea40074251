import { describe, expect, test } from 'vitest';
import {
  createLogger,
  logFormats,
  type LogFormat,
  maxLogFieldLength,
  maxTextLineLength,
  nullLogger,
} from './log.ts';

function capture(format: LogFormat, level: 'debug' | 'info' = 'info') {
  const lines: string[] = [];
  return { lines, log: createLogger({ level, format, sink: { write: (line) => lines.push(line) } }) };
}

test('a text line has its level, message and fields', () => {
  const { lines, log } = capture('text');
  log.child({ app: 'x' }).info('ready', { port: 1, name: 'a b', none: undefined });
  expect(lines[0]).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z I ready app=x port=1 name="a b"\n$/);
});

test('a JSON line has its level, message and fields', () => {
  const { lines, log } = capture('json');
  log.warn('late', { ms: 5 });
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 'warn', msg: 'late', ms: 5 });
});

test('lines below the level are not written', () => {
  const { lines, log } = capture('text');
  log.debug('no');
  expect(lines).toEqual([]);
  expect([log.isEnabled('debug'), log.isEnabled('error')]).toEqual([false, true]);
  nullLogger.error('no');
  expect(nullLogger.isEnabled('error')).toBe(false);
});

describe.each(logFormats)('%s', (format) => {
  test('secrets are replaced, by name and by look', () => {
    const { lines, log } = capture(format);
    log.info('from Bearer abc.def', {
      headers: { Authorization: 'Basic eHg=', accept: 'x' },
      token: 't0ken',
      text: 'jwt eyJhbGciOi.eyJzdWIi.c2ln and -----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----',
      error: new Error('bad Bearer qqq', { cause: { password: 'pw' } }),
    });
    for (const secret of ['abc.def', 'eHg=', 't0ken', 'eyJ', 'MIIE', 'qqq', 'pw']) {
      expect(lines[0]).not.toContain(secret);
    }
  });

  test('a client cannot forge a line', () => {
    const { lines, log } = capture(format);
    log.info('a\nb', { path: '/x\n2026 I forged', user: 'a b=c' });
    expect(lines[0]?.trimEnd()).not.toContain('\n');
  });

  test('an int64 and a ring of objects do no harm', () => {
    const { lines, log } = capture(format);
    const ring: Record<string, unknown> = { n: 2n ** 60n };
    ring.self = ring;
    log.info('x', ring);
    expect(lines[0]).toContain('1152921504606846976');
  });
});

describe('a text line', () => {
  test('has the messages of an error and of its causes, without the stack', () => {
    const { lines, log } = capture('text');
    const cause = new Error('connect ECONNREFUSED', { cause: new Error('connect ECONNREFUSED') });
    log.warn('a webhook failed', { webhook: 'w', error: new Error('failed calling webhook', { cause }) });
    expect(lines[0]).toMatch(
      / W a webhook failed webhook=w error="failed calling webhook: connect ECONNREFUSED"\n$/,
    );
  });

  test('of level error has the place that threw the error', () => {
    const { lines, log } = capture('text');
    log.error('failed', { error: new TypeError('x is not a function') });
    expect(lines[0]).toMatch(
      / E failed error="x is not a function" at="?[^ ]*.*log\.test\.ts(?:\?vitest=\d+)?:\d+:\d+\)?"?\n$/,
    );
  });

  test('is cut after maxTextLineLength characters, and names the format that has all of it', () => {
    const { lines, log } = capture('text');
    log.warn('long', { text: 'x'.repeat(maxTextLineLength) });
    expect(lines[0]).toHaveLength(maxTextLineLength + 1);
    expect(lines[0]).toMatch(/x… \(\d+ characters; --log-format=json has them\)\n$/);
  });
});

describe('a JSON line', () => {
  test('the message and each field are cut after maxLogFieldLength characters', () => {
    const { lines, log } = capture('json');
    const long = 'x'.repeat(2 * maxLogFieldLength);
    const whole = 'y'.repeat(maxLogFieldLength);
    log.child({ bound: long }).info(long, { text: long, list: [long], error: new Error(long), whole });
    const [line = ''] = lines;
    expect(line.match(/x+/g)?.map(({ length }) => length <= maxLogFieldLength)).not.toContain(false);
    expect(line.match(/…/g)).toHaveLength(5);
    expect(line).toContain(`${whole}"`);
  });
});
