// `node start-flags.fixture.ts COMMAND ATTEMPTS`: a process with the flags of a server's start. It prints whether V8 optimizes a hot function before and after its first connection.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { startSmall } from './start-flags.ts';

const [command, attempts] = process.argv.slice(2);
startSmall(command);
setFlagsFromString('--allow-natives-syntax');
const statusOf = new Function('f', 'return %GetOptimizationStatus(f)') as (f: unknown) => number;
/** V8's bits for code of Turbofan and of Maglev. */
const optimizedBits = (1 << 4) | (1 << 5);

function isOptimized(source: string, attempts: number): boolean {
  const sum = new Function('n', source) as (n: number) => number;
  for (let i = 0; i < attempts; i++) {
    sum(1_000);
    if ((statusOf(sum) & optimizedBits) !== 0) return true;
  }
  return false;
}

const source = (name: string): string =>
  `let ${name} = 0; for (let i = 0; i < n; i++) ${name} += i; return ${name};`;
const before = isOptimized(source('before'), 3_000);
const server = createServer().listen(0, '127.0.0.1');
await once(server, 'listening');
const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
await once(server, 'connection');
process.stdout.write(`${before} ${isOptimized(source('after'), Number(attempts))}\n`);
socket.destroy();
server.close();
