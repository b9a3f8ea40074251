import { spawn } from 'node:child_process';
import { createServer as createHttpsServer } from 'node:https';
import { createServer } from 'node:net';
import { startRelay } from './relay.ts';

/** What runs in a network namespace of its own. The only ways out are Unix sockets. */
export interface InsideOptions {
  /** The extension server. */
  extension: { host: string; port: number; cert: string; key: string };
  /** A port of this namespace that leads to a Unix socket. */
  relay: { port: number; socket: string };
  agent: { command: string; args: readonly string[] };
  /** A Unix socket that takes a line: a port and a path of the agent, or `stop`. */
  control: string;
}

/** Runs the extension server, the relay and the agent until the process is killed. */
async function run({ extension, relay, agent, control }: InsideOptions): Promise<void> {
  const { cert, key, host, port } = extension;
  createHttpsServer({ cert, key }, (_request, response) => {
    response.setHeader('Content-Type', 'application/json').end('{"kind":"Seen","apiVersion":"v1"}');
  }).listen(port, host);
  await startRelay(relay.port, { path: relay.socket });
  const child = spawn(agent.command, agent.args, { stdio: 'inherit' });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  createServer((socket) => {
    socket.once('data', async (line) => {
      const command = String(line).trim();
      if (command === 'stop') {
        child.kill('SIGTERM');
        return socket.end(`${String(await exited)}`);
      }
      const response = await fetch(`http://127.0.0.1:${command}`).catch(() => undefined);
      socket.end(response === undefined ? 'unreachable' : `${response.status} ${await response.text()}`);
    });
  }).listen(control, () => process.stdout.write('the namespace is ready\n'));
}

await run(JSON.parse(process.argv[2] ?? '') as InsideOptions);
