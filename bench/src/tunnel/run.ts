import type { Duplex } from 'node:stream';
import { cpuMs, type Memory, memoryOf } from '../process-facts.ts';
import { summarize } from '../statistics.ts';
import { bareRowName, runBareNode } from './bare-node.ts';
import { type Destination, startDestination } from './destination.ts';
import type { Form } from './dialer.ts';
import { hasUpstream, type Maker, startTunnel, type Tunnel } from './programs.ts';
import { type TunnelRow, tunnelRows } from './rows.ts';

/** The ways to reach the server of a tunnel. */
const forms: readonly Form[] = [
  { mode: 'http-connect', transport: 'uds' },
  { mode: 'grpc', transport: 'uds' },
  { mode: 'http-connect', transport: 'tcp' },
  { mode: 'grpc', transport: 'tcp' },
];

const formName = ({ mode, transport }: Form): string =>
  `${mode} over ${transport === 'uds' ? 'a Unix socket' : 'mutual TLS'}`;

/** The names of all rows. */
export const tunnelRowNames: readonly string[] = [
  ...forms.flatMap((form) => tunnelRows.map((row) => rowName(form, row))),
  bareRowName,
];

function rowName(form: Form, { name }: TunnelRow): string {
  return `tunnel ${formName(form)}: ${name}`;
}

/** The result of a row with the programs of one maker: medians of the rounds. */
export interface TunnelResult {
  row: string;
  maker: Maker | 'bare Node';
  unit: TunnelRow['unit'];
  each: TunnelRow['each'];
  rounds: number[];
  value: number;
  /** CPU time of server and agent for each operation or megabyte, in milliseconds. */
  cpuMs: number;
  /** Memory at the end of the last round: of the server and of the agent. */
  memory: readonly Memory[];
}

/** How much is measured. */
export interface TunnelSettings {
  names: ReadonlySet<string>;
  seconds: number;
  rounds: number;
  profiles: string | undefined;
}

/** Measures Annex and, where its programs are in `PATH`, upstream, in alternating rounds. */
export async function runTunnels(settings: TunnelSettings): Promise<TunnelResult[]> {
  const makers: readonly Maker[] = hasUpstream() ? ['annex', 'upstream'] : ['annex'];
  const results: TunnelResult[] = [];
  await using destination = await startDestination();
  for (const form of forms) {
    const rows = tunnelRows.filter((row) => settings.names.has(rowName(form, row)));
    if (rows.length === 0) continue;
    await using stack = new AsyncDisposableStack();
    const tunnels: Tunnel[] = [];
    for (const maker of makers) tunnels.push(stack.use(await startTunnel(maker, form, settings.profiles)));
    for (const row of rows) {
      if (process.stderr.isTTY) process.stderr.write(`${rowName(form, row)}\n`);
      results.push(...(await runTunnelRow(row, rowName(form, row), tunnels, destination, settings)));
    }
  }
  if (settings.names.has(bareRowName)) results.push(await runBareNode(destination));
  return results;
}

/** Far more than a round takes on a busy machine: a connection that hangs is found. */
const maxRoundMs = 180_000;

/** Runs a round. Rejects if it takes too long; errors name the row and the programs. */
async function namedRound(name: string, maker: Maker, round: () => Promise<Round>): Promise<Round> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`takes more than ${maxRoundMs / 1000} s`)), maxRoundMs);
  try {
    return await Promise.race([round(), late]);
  } catch (error) {
    throw new Error(`a round of ${name}, programs of ${maker}: ${(error as Error).message}`, {
      cause: error,
    });
  } finally {
    clearTimeout(timer);
  }
}

interface Round {
  value: number;
  cpuMs: number;
  memory: readonly Memory[];
}

async function runTunnelRow(
  row: TunnelRow,
  name: string,
  tunnels: readonly Tunnel[],
  destination: Destination,
  { seconds, rounds }: TunnelSettings,
): Promise<TunnelResult[]> {
  const measured = new Map<Tunnel, Round[]>(tunnels.map((tunnel) => [tunnel, []]));
  const round = (tunnel: Tunnel, length = seconds): Promise<Round> =>
    namedRound(name, tunnel.maker, () => runRound(row, tunnel, destination, length));
  if (row.isCold !== true) for (const tunnel of tunnels) await round(tunnel, seconds / 2);
  for (let i = 0; i < rounds; i++) for (const [tunnel, list] of measured) list.push(await round(tunnel));
  return [...measured].map(([{ maker }, list]) => {
    const median = (of: 'value' | 'cpuMs'): number => summarize(list.map((round) => round[of])).median;
    return {
      row: name,
      maker,
      unit: row.unit,
      each: row.each,
      rounds: list.map(({ value }) => value),
      value: median('value'),
      cpuMs: median('cpuMs'),
      memory: list.at(-1)?.memory ?? [],
    };
  });
}

async function runRound(
  row: TunnelRow,
  tunnel: Tunnel,
  destination: Destination,
  seconds: number,
): Promise<Round> {
  const { server, agent } = tunnel;
  const open: Duplex[] = [];
  const before = cpuMs([server, agent]);
  const { value, count } = await row.run(tunnel, destination, seconds, open);
  const round = {
    value,
    cpuMs: (cpuMs([server, agent]) - before) / count,
    memory: [server, agent].map(memoryOf),
  };
  for (const connection of open) connection.destroy();
  return round;
}
