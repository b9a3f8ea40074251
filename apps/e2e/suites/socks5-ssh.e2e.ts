import { mkdirSync, writeFileSync } from 'node:fs';
import { networkInterfaces, userInfo } from 'node:os';
import { join } from 'node:path';
import {
  findTool,
  freePort,
  requireTools,
  type RunningProcess,
  startProcess,
  tempFolder,
} from '@annex/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Runner } from '../runners/runner.ts';
import { startSingle } from '../runners/single-runner.ts';
import { type Printed, runCommand } from './command.ts';
import { patienceMs } from './patience.ts';

// https://kubernetes.io/docs/tasks/extend-kubernetes/socks5-proxy-access-api/

const suite = 'the API through ssh -D';

/** An address of this machine that is not a loopback address: the environment names no proxy for those. */
const machine = Object.values(networkInterfaces())
  .flat()
  .find((one) => one?.family === 'IPv4' && !one.internal)?.address;
if (machine === undefined)
  process.stderr.write(`SKIPPED ${suite}: the machine has only loopback addresses\n`);

const hasTools = requireTools(suite, 'kubectl', 'ssh', 'sshd', 'ssh-keygen');

describe.runIf(hasTools && machine !== undefined)(suite, () => {
  const home = tempFolder('annex-ssh-');
  const path = (name: string): string => join(home.path, name);
  let annex: Runner;
  let remote: RunningProcess;
  let remotePort: number;
  let port: number;
  beforeAll(async () => {
    annex = await startSingle({ ephemeral: true, args: ['--bind-address=0.0.0.0'] });
    for (const name of ['host', 'user'])
      await runCommand('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', path(name)], options());
    remotePort = await freePort();
    port = await freePort();
    remote = await startRemote();
    const server = `https://${machine}:${new URL(annex.url).port}`;
    const cluster = ['config', 'set-cluster', 'annex', `--server=${server}`, '--tls-server-name=localhost'];
    writeFileSync(path('kubeconfig'), (await kubectl(['config', 'view', '--raw'], annex.kubeconfig)).output);
    await kubectl(cluster);
  });
  afterAll(async () => {
    await remote?.stop();
    await annex?.stop();
    home[Symbol.dispose]();
  });

  const options = (env: NodeJS.ProcessEnv = {}) => ({
    env: { ...process.env, HOME: home.path, KUBECACHEDIR: path('cache'), ...env },
    timeout: 2 * patienceMs,
  });
  const kubectl = (
    args: string[],
    kubeconfig = path('kubeconfig'),
    env: NodeJS.ProcessEnv = {},
  ): Promise<Printed> => runCommand('kubectl', args, options({ KUBECONFIG: kubeconfig, ...env }));
  const getPods = (env?: NodeJS.ProcessEnv) =>
    kubectl(['get', 'pods', '--request-timeout=20s'], undefined, env);

  /** The SSH server of the remote machine. */
  async function startRemote(): Promise<RunningProcess> {
    // Privilege separation of a server that root starts.
    if (userInfo().uid === 0) mkdirSync('/run/sshd', { recursive: true });
    const settings = {
      ListenAddress: '127.0.0.1',
      AuthorizedKeysFile: path('user.pub'),
      PidFile: 'none',
      StrictModes: 'no',
      UsePAM: 'no',
      PermitRootLogin: 'prohibit-password',
    };
    const flags = Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
    const args = ['-D', '-e', '-f', '/dev/null', '-h', path('host'), '-p', String(remotePort), ...flags];
    return await startProcess(findTool('sshd') ?? 'sshd', { args, until: /Server listening/ });
  }

  /** `ssh -D` as documented, without -q: its log names the destinations, and says when the port is open. */
  const startTunnel = (): Promise<RunningProcess> =>
    startProcess('ssh', {
      args: [
        ...['-D', String(port), '-N', '-p', String(remotePort), '-i', path('user')],
        ...['-F', '/dev/null', '-o', 'LogLevel=DEBUG2', '-o', 'BatchMode=yes'],
        ...[
          '-o',
          'StrictHostKeyChecking=no',
          '-o',
          'UserKnownHostsFile=/dev/null',
          '-o',
          'ExitOnForwardFailure=yes',
        ],
        `${userInfo().username}@127.0.0.1`,
      ],
      env: { ...process.env, HOME: home.path },
      until: /Entering interactive session/,
    });
  const forwarded = ({ lines }: RunningProcess): number =>
    lines.filter((line) => line.includes('new dynamic-tcpip')).length;

  it('SOC-003 SOC-004 SOC-010 HTTPS_PROXY sends requests through the tunnel, until it is unset', async () => {
    await using tunnel = await startTunnel();
    const HTTPS_PROXY = `socks5://localhost:${port}`;
    expect(await getPods({ HTTPS_PROXY })).toMatchObject({
      code: 0,
      text: expect.stringContaining('No resources') as string,
    });
    const { port: serverPort } = new URL(annex.url);
    await tunnel.waitFor(new RegExp(`dynamic request: socks5 host ${machine} port ${serverPort} command 1`));
    const through = forwarded(tunnel);
    expect((await getPods({ https_proxy: HTTPS_PROXY })).code).toBe(0);
    expect(forwarded(tunnel)).toBeGreaterThan(through);
    const before = forwarded(tunnel);
    expect((await getPods({ HTTPS_PROXY: undefined, https_proxy: undefined })).code).toBe(0);
    expect(forwarded(tunnel)).toBe(before);
    await tunnel.stop();
    expect((await getPods({ HTTPS_PROXY })).text).toMatch(/refused/);
  });

  it('SOC-003 SOC-005 SOC-008 SOC-009 proxy-url sends requests through the tunnel, until it is stopped', async () => {
    await using tunnel = await startTunnel();
    await kubectl(['config', 'set-cluster', 'annex', `--proxy-url=socks5://localhost:${port}`]);
    expect((await getPods()).code).toBe(0);
    await tunnel.waitFor(/new dynamic-tcpip/);
    await tunnel.stop();
    expect((await getPods()).text).toMatch(/refused/);
  });
});
