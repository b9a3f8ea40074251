// A process with a watchdog: `node watched-process.fixture.ts MAX_STALL_MS LOG_FORMAT STALL`. It prints `ready` and gets stuck.
import { pbkdf2Sync } from 'node:crypto';
import { read, readSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { logFormats } from '../log.ts';
import { eventLoopStalls } from './heartbeat.ts';
import { watchEventLoop } from './watchdog.ts';

const [maxLoopStall = '', format = '', stall = ''] = process.argv.slice(2);
const cell = new Int32Array(new SharedArrayBuffer(4));

function matchForever(): boolean {
  return /^(a+)+$/.test(`${'a'.repeat(80)}!`);
}

function recurse(depth: number): boolean {
  return depth === 0 ? matchForever() : !recurse(depth - 1);
}

const stalls: Record<string, () => unknown> = {
  loop() {
    for (;;) cell[0] = 1;
  },
  regex: matchForever,
  'a deep recursion': () => recurse(500),
  microtasks() {
    const next = (): void => queueMicrotask(next);
    next();
  },
  // Waits that a debugger cannot interrupt: for bytes that never come, and for a computation of minutes.
  read: () => readSync(0, Buffer.alloc(1)),
  crypto: () => pbkdf2Sync('password', 'salt', 100_000_000, 64, 'sha512'),
  'read, while another read holds a thread of the pool': () => {
    read(0, () => undefined);
    return readSync(0, Buffer.alloc(1));
  },
  // Two thirds of the limit, repeatedly.
  async turns() {
    for (let turn = 0; turn < 4; turn++) {
      Atomics.wait(cell, 0, 0, Number(maxLoopStall) * 0.66);
      await sleep(150);
    }
    const { count, longestSeconds } = eventLoopStalls();
    process.stdout.write(`4 stalls: ${count >= 4}, longest above 0.1 s: ${longestSeconds > 0.1}\n`);
  },
  async 'a short stall'() {
    await sleep(300);
    Atomics.wait(cell, 0, 0, 500);
    await sleep(1_200);
  },
  'a loop in another thread': () => {
    const argv = [maxLoopStall, format, 'loop'];
    return new Worker(new URL(import.meta.url), { argv, execArgv: [] });
  },
  nothing: () => undefined,
  async idle() {
    await sleep(3 * Number(maxLoopStall));
  },
};

watchEventLoop({
  maxLoopStall: Number(maxLoopStall),
  logLevel: format === 'off' ? 'off' : 'warn',
  logFormat: logFormats.find((known) => known === format) ?? 'text',
});
await sleep(200);
process.stdout.write('ready\n');
await stalls[stall]?.();
