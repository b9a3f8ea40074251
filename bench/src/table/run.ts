import { cpuMs } from '../process-facts.ts';
import { TableClient } from './client.ts';
import type { Server } from './servers.ts';
import { type TableRow, tableRows } from './rows.ts';

/** What one server needed for a row. */
export interface Side {
  /** The value of each slice, in the unit of the row. */
  values: number[];
  /** CPU time of its processes for each slice. */
  cpuMs: number[];
}

export interface TableResult {
  row: TableRow;
  /** Of Annex, of the other server, and of the bare server if it can run the row. */
  sides: Side[];
}

/** The rows of a run, and whether their slices begin with a server that has not done their work before. */
export interface TableSettings {
  selected(name: string): boolean;
  cold: boolean;
}

/** Runs the rows on all servers: each slice on one after the other, the first of them in turns. */
export async function runTable(
  servers: readonly Server[],
  { selected, cold }: TableSettings,
): Promise<TableResult[]> {
  const clients = servers.map((server) => new TableClient(server));
  const results: TableResult[] = [];
  for (const row of tableRows) {
    if (!selected(row.name)) continue;
    if (process.stderr.isTTY) process.stderr.write(`${row.name}\n`);
    results.push(
      await runRow(
        row,
        clients.filter(({ server }) => row.bare || !server.isBare),
        cold,
      ),
    );
  }
  return results;
}

async function runRow(row: TableRow, clients: readonly TableClient[], cold: boolean): Promise<TableResult> {
  const sides: Side[] = clients.map(() => ({ values: [], cpuMs: [] }));
  for (const client of clients) {
    using _ = row.isIdle ? undefined : await client.connect();
    await row.prepare?.(client);
    if (!cold) await orReport(row, client, async () => void (await row.warmUp?.(client)));
  }
  for (let slice = 0; slice < row.slices; slice++) {
    for (let turn = 0; turn < clients.length; turn++) {
      const at = (slice + turn) % clients.length;
      const [client, side] = [clients[at], sides[at]];
      if (!client || !side) continue;
      using _ = row.isIdle ? undefined : await client.connect();
      await orReport(row, client, async () => {
        const before = cpuMs(client.server.pids);
        side.values.push(await row.run(client));
        side.cpuMs.push(cpuMs(client.server.pids) - before);
      });
    }
  }
  return { row, sides };
}

/** Reports an error: a server under load may end watches that do not keep up. The other slices count. */
async function orReport(row: TableRow, { server }: TableClient, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    process.stderr.write(`${row.name}, ${server.name}: ${String(error)}\n`);
  }
}
