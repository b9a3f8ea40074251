import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  createTestCA,
  findTool,
  freePorts,
  type RunningProcess,
  startProcess,
  tempFolder,
} from '@annex/testkit';
import { dialer, type Dialing, type Form } from './dialer.ts';

/** Whose programs they are. */
export type Maker = 'annex' | 'upstream';

/** A server and an agent that are connected, and how connections are opened through them. */
export interface Tunnel extends AsyncDisposable {
  readonly maker: Maker;
  readonly server: number;
  readonly agent: number;
  readonly dialing: Dialing;
}

/** Whether the programs of apiserver-network-proxy are in `PATH`. */
export const hasUpstream = (): boolean =>
  findTool('proxy-server') !== undefined && findTool('proxy-agent') !== undefined;

const annexCommand = fileURLToPath(new URL('../../../apps/cli/bin/annex.js', import.meta.url));

/** Starts both programs. With a folder for profiles, those of Annex write one each when they stop. */
export async function startTunnel(maker: Maker, form: Form, profiles: string | undefined): Promise<Tunnel> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(tempFolder('annex-bench-tunnel-'));
  const ca = createTestCA('tunnel-bench');
  const write = (name: string, content: string): string => {
    const path = join(folder.path, name);
    writeFileSync(path, content, { mode: 0o600 });
    return path;
  };
  const own = ca.issue({ commonName: 'server', ipAddresses: ['127.0.0.1'], dnsNames: ['localhost'] });
  const client = ca.issue({ commonName: 'client' });
  const caFile = write('ca.crt', ca.certificate);
  const [certificate, key] = [write('server.crt', own.certificate), write('server.key', own.key)];
  const [agentPort, serverPort, ...free] = (await freePorts(6)) as [number, number, ...number[]];
  const socket = join(folder.path, 'server.socket');
  const start = async (program: 'server' | 'agent', args: string[]): Promise<RunningProcess> =>
    stack.use(await startProgram(maker, program, args, profiles));
  const server = await start('server', [
    `--mode=${form.mode}`,
    `--agent-port=${agentPort}`,
    `--health-port=${free[0]}`,
    `--admin-port=${free[1]}`,
    `--cluster-cert=${certificate}`,
    `--cluster-key=${key}`,
    `--cluster-ca-cert=${caFile}`,
    ...(form.transport === 'uds'
      ? [`--uds-name=${socket}`, '--server-port=0']
      : [
          `--server-port=${serverPort}`,
          `--server-cert=${certificate}`,
          `--server-key=${key}`,
          `--server-ca-cert=${caFile}`,
        ]),
  ]);
  const agent = await start('agent', [
    `--proxy-server-port=${agentPort}`,
    `--ca-cert=${caFile}`,
    `--agent-cert=${write('client.crt', client.certificate)}`,
    `--agent-key=${write('client.key', client.key)}`,
    `--health-server-port=${free[2]}`,
    `--admin-server-port=${free[3]}`,
    '--sync-interval=100ms',
  ]);
  await isReady(`http://127.0.0.1:${free[0]}/readyz`);
  const dialing = stack.use(dialer(form, { socket, port: serverPort, ca: ca.certificate, client }));
  const running = stack.move();
  return {
    maker,
    server: server.pid,
    agent: agent.pid,
    dialing,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** Upstream's programs log each connection by default, ours do not. */
async function startProgram(
  maker: Maker,
  program: 'server' | 'agent',
  args: readonly string[],
  profiles: string | undefined,
): Promise<RunningProcess> {
  if (maker === 'upstream') {
    const proxyServer = program === 'agent' ? ['--proxy-server-host=127.0.0.1'] : [];
    return startProcess(findTool(`proxy-${program}`)!, { args: [...args, ...proxyServer, '--v=0'] });
  }
  const profile =
    profiles === undefined
      ? []
      : [
          '--cpu-prof',
          `--cpu-prof-dir=${profiles}`,
          `--cpu-prof-name=${program}-${process.hrtime.bigint()}.cpuprofile`,
        ];
  const destinations = program === 'agent' ? ['--allow-destinations=127.0.0.1'] : [];
  return startProcess(process.execPath, {
    args: [...profile, annexCommand, `konnectivity-${program}`, ...args, ...destinations],
    until: /is ready in/,
  });
}

async function isReady(url: string): Promise<void> {
  for (;;) {
    const response = await fetch(url).catch(() => undefined);
    await response?.text();
    if (response?.status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
