// `node start-flags.fixture.ts COMMAND BEFORE AFTER`: a process with the flags of a server's start. It prints whether V8 optimizes a function that is called so often before and after its first connection.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { startSmall } from './start-flags.ts';

const [command, callsBefore, callsAfter] = process.argv.slice(2);
startSmall(command);
setFlagsFromString('--allow-natives-syntax');
const statusOf = new Function('f', 'return %GetOptimizationStatus(f)') as (f: unknown) => number;
/** V8's bits for code of Turbofan and of Maglev. */
const optimizedBits = (1 << 4) | (1 << 5);

/** V8 compiles on another thread: where processors are busy, many calls pass until it has. */
function isOptimized(source: string, calls: number): boolean {
  const sum = new Function('n', source) as (n: number) => number;
  for (let i = 0; i < calls; i++) {
    sum(1_000);
    if ((statusOf(sum) & optimizedBits) !== 0) return true;
  }
  return false;
}

// Else its optimized loop could contain the function, which is then never compiled by itself.
new Function('f', '%NeverOptimizeFunction(f)')(isOptimized);

const source = (name: string): string =>
  `let ${name} = 0; for (let i = 0; i < n; i++) ${name} += i; return ${name};`;
const before = isOptimized(source('before'), Number(callsBefore));
const server = createServer().listen(0, '127.0.0.1');
await once(server, 'listening');
const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
await once(server, 'connection');
process.stdout.write(`${before} ${isOptimized(source('after'), Number(callsAfter))}\n`);
socket.destroy();
server.close();
