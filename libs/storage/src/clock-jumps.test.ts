import { once } from 'node:events';
import { createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { FakeClock } from '@annex/testkit';
import { describe, expect, test, vi } from 'vitest';
import { AutoCompaction } from './auto-compaction.ts';
import { createEtcdStore } from './etcd/create-etcd-store.ts';
import { LeasePool } from './etcd/lease-pool.ts';
import { LeaseTable } from './etcd/lease-table.ts';
import { ExpirySchedule } from './expiry-schedule.ts';
import { createMemoryStore } from './memory-store.ts';

const second = 1000;
const hour = 3_600 * second;
const jumps: [how: string, milliseconds: number][] = [
  ['forward', 5 * hour],
  ['back', -5 * hour],
];

describe.each(jumps)('a clock that is set %s by five hours', (_how, jump) => {
  test('neither hastens nor delays the end of keys with a time to live', async () => {
    const clock = new FakeClock();
    const expired: string[] = [];
    const schedule = new ExpirySchedule(async (key) => expired.push(key), clock);
    schedule.add('early', 1, 10 * second);
    clock.jump(jump);
    schedule.add('late', 2, 20 * second);
    await clock.advance(9 * second);
    expect(expired).toEqual([]);
    await clock.advance(2 * second);
    expect(expired).toEqual(['early']);
    await clock.advance(10 * second);
    expect(expired).toEqual(['early', 'late']);
    schedule.close();
  });

  test('neither drops history early nor keeps it longer', async () => {
    const clock = new FakeClock();
    const ledger = { revision: 100, compacted: 0 };
    const history = { revisions: 10, milliseconds: 60 * second };
    const compact = async (revision: number) => void (ledger.compacted = revision);
    const compaction = new AutoCompaction(history, ledger, compact, clock);
    await clock.advance(16 * second);
    clock.jump(jump);
    await clock.advance(45 * second);
    expect(ledger.compacted).toBe(0);
    await clock.advance(30 * second);
    expect(ledger.compacted).toBe(90);
    compaction.close();
  });

  test('neither ends a call to etcd nor makes etcd end it', async () => {
    const timeouts: unknown[] = [];
    const server = createServer().on('stream', (stream, headers) => {
      timeouts.push(headers['grpc-timeout']);
      stream.respond({ ':status': 200, 'grpc-status': 2, 'grpc-message': 'broken' }, { endStream: true });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const store = await createEtcdStore({ servers: [`http://127.0.0.1:${port}`] });
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      const read = store.get('/a');
      vi.setSystemTime(Date.now() + jump);
      await expect(read).rejects.toThrow('broken');
    } finally {
      vi.useRealTimers();
      await store.close();
      server.close();
    }
    // etcd ends a call after the time in this header, which the library computes with the wall clock.
    expect(timeouts).toEqual([undefined]);
  });

  test('neither ends a lease nor prolongs it', async () => {
    const clock = new FakeClock();
    const store = createMemoryStore();
    const table = new LeaseTable(store, clock);
    const { id } = table.grant(60, 0);
    clock.jump(jump);
    await clock.advance(20 * second);
    expect(table.remaining(id)).toBe(40);
    await clock.advance(40 * second);
    expect(() => table.remaining(id)).toThrow('requested lease not found');
    await store.close();
  });

  test('does not change how long keys share a lease', async () => {
    const clock = new FakeClock();
    let granted = 0;
    const call = async () => ({ id: String(++granted) });
    const pool = new LeasePool({ call: call as never }, clock);
    expect(await pool.leaseFor(3600)).toBe('1');
    clock.jump(jump);
    await clock.advance(59 * second);
    expect(await pool.leaseFor(3600)).toBe('1');
    await clock.advance(2 * second);
    expect(await pool.leaseFor(3600)).toBe('2');
  });
});

test('a lease from before a restart ends at the time in its id', async () => {
  const clock = new FakeClock();
  const store = createMemoryStore();
  const { id } = new LeaseTable(store, clock).grant(60, 0);
  await clock.advance(20 * second);
  const table = new LeaseTable(store, clock);
  expect(table.remaining(id)).toBe(40);
  await clock.advance(41 * second);
  expect(() => table.remaining(id)).toThrow('requested lease not found');
  await store.close();
});
