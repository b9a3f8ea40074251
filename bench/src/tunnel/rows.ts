import { Buffer } from 'node:buffer';
import type { Duplex } from 'node:stream';
import { load } from '../load.ts';
import { summarize } from '../statistics.ts';
import { type Destination, pageBytes, purposes } from './destination.ts';
import type { Tunnel } from './programs.ts';

/** What a row measured. */
export interface TunnelMeasurement {
  value: number;
  /** Operations or megabytes, for the CPU time of one of them. */
  count: number;
}

/** A measurement of a tunnel. */
export interface TunnelRow {
  name: string;
  unit: 'MB/s' | 'per s' | 'ms' | 's';
  /** What CPU time is divided by. */
  each: 'MB' | 'connection' | 'request';
  /** Measured without an uncounted round before, so that the first round includes the compilation of the programs. */
  isCold?: boolean;
  /** Runs for some seconds. What is in `open` is closed after memory was measured. */
  run(tunnel: Tunnel, destination: Destination, seconds: number, open: Duplex[]): Promise<TunnelMeasurement>;
}

const megabyte = 1e6;
const block = Buffer.alloc(16 * 1024, 'y');

async function opened(tunnel: Tunnel, address: string, purpose: keyof typeof purposes): Promise<Duplex> {
  const connection = await tunnel.dialing.dial(address);
  connection.write(purposes[purpose]);
  return connection;
}

/** Moves bytes over some connections; counts those of the time after the first have arrived. */
async function moved(
  seconds: number,
  bytes: () => number,
  connections: readonly Duplex[],
): Promise<TunnelMeasurement> {
  await pause(seconds / 4);
  const [from, begin] = [bytes(), performance.now()];
  await pause(seconds);
  const count = (bytes() - from) / megabyte;
  const value = (count * 1000) / (performance.now() - begin);
  for (const connection of connections) connection.destroy();
  return { value, count: bytes() / megabyte };
}

const pause = (seconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, seconds * 1000));

const download = (connections: number): TunnelRow => ({
  name: `download by ${connections}`,
  unit: 'MB/s',
  each: 'MB',
  async run(tunnel, { address }, seconds) {
    let received = 0;
    const open = await all(connections, () => opened(tunnel, address, 'download'));
    for (const connection of open) connection.on('data', ({ length }: Buffer) => (received += length));
    return await moved(seconds, () => received, open);
  },
});

const upload = (connections: number): TunnelRow => ({
  name: `upload by ${connections}`,
  unit: 'MB/s',
  each: 'MB',
  async run(tunnel, destination, seconds) {
    const open = await all(connections, () => opened(tunnel, destination.address, 'upload'));
    const before = destination.received();
    for (const connection of open) {
      const send = () => {
        while (!connection.destroyed && connection.write(block));
      };
      connection.on('drain', send);
      send();
    }
    return await moved(seconds, () => destination.received() - before, open);
  },
});

const connections = (workers: number): TunnelRow => ({
  name: `connections by ${workers}`,
  unit: 'per s',
  each: 'connection',
  async run(tunnel, { address }, seconds) {
    const measured = await load(workers, seconds, async () => {
      const connection = await opened(tunnel, address, 'pages');
      await received(connection, pageBytes);
      connection.destroy();
    });
    const count = measured.operations ?? 0;
    return { value: count / (measured.seconds ?? 1), count };
  },
});

const pages: TunnelRow = {
  name: 'request of 2 KiB on a kept connection',
  unit: 'ms',
  each: 'request',
  async run(tunnel, { address }, seconds) {
    const connection = await opened(tunnel, address, 'pages');
    await received(connection, pageBytes);
    const { values } = await load(1, seconds, () => {
      connection.write(purposes.pages);
      return received(connection, pageBytes);
    });
    connection.destroy();
    return { value: summarize(values).median, count: values.length };
  },
};

export const idleConnections = 1000;

/** Requests a page on a new connection, and resolves to it when the page has arrived. */
export async function openPage<C extends Duplex>(connection: C): Promise<C> {
  connection.write(purposes.pages);
  await received(connection, pageBytes);
  return connection;
}

const idle: TunnelRow = {
  name: `opening ${idleConnections} idle connections`,
  unit: 's',
  each: 'connection',
  isCold: true,
  async run(tunnel, { address }, _seconds, open) {
    const begin = performance.now();
    while (open.length < idleConnections) open.push(await openPage(await tunnel.dialing.dial(address)));
    return { value: (performance.now() - begin) / 1000, count: idleConnections };
  },
};

/** The rows in the order of their execution. */
export const tunnelRows: readonly TunnelRow[] = [
  idle,
  pages,
  connections(1),
  connections(16),
  download(1),
  download(16),
  upload(1),
  upload(16),
];

const all = <T>(count: number, run: () => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, run));

function received(connection: Duplex, bytes: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let rest = bytes;
  const closed = (): void => reject(new Error('the connection was closed'));
  const data = ({ length }: Buffer): void => {
    if ((rest -= length) > 0) return;
    connection.off('data', data).off('close', closed);
    resolve();
  };
  connection.on('data', data).on('close', closed);
  return promise;
}
