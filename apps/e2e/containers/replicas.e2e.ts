import { Client, loadKubeconfig } from '@annex/client';
import { requireTools } from '@annex/testkit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { runCommand } from '../suites/command.ts';
import { type ContainerProject, startContainers } from './container-project.ts';
import { podman } from './podman.ts';
import { work } from './requests.ts';

const suite = 'the services of deploy/replicas/compose.yaml in containers';
const tools = ['podman', 'runc', 'iptables', 'kubectl', 'debootstrap', 'go'];

describe.runIf(requireTools(suite, ...tools))(suite, () => {
  let project: ContainerProject;
  const clients: Client[] = [];
  beforeAll(async () => {
    project = await startContainers({ file: 'replicas/compose.yaml' });
    const config = await loadKubeconfig(project.kubeconfig);
    for (const protocol of ['h2', 'http/1.1']) clients.push(new Client({ ...config, protocol } as never));
  });
  afterAll(async () => {
    for (const client of clients) client.close();
    await project?.[Symbol.asyncDispose]();
  });

  it('are all healthy', async () => {
    process.stdout.write(`all healthy after ${Math.round(project.startedInMs)} ms\n`);
    const staying = project.services.filter(({ stays }) => stays);
    expect(staying.map(({ name }) => name)).toEqual([
      ...['etcd-1', 'etcd-2', 'etcd-3', 'annex-1', 'annex-2', 'balancer'],
    ]);
    for (const service of staying) expect(await service.isHealthy(), service.name).toBe(true);
    process.stdout.write(`${await podman('stats', '--no-stream', '--format={{.Name}} {{.MemUsage}}')}\n`);
  });

  it('serve kubectl behind the load balancer', async () => {
    const kubectl = (...args: string[]) =>
      runCommand('kubectl', [`--kubeconfig=${project.kubeconfig}`, ...args], {
        env: process.env,
        timeout: 60_000,
      });
    expect(await kubectl('create', 'configmap', 'a', '--from-literal=b=c')).toMatchObject({ code: 0 });
    expect((await kubectl('get', 'configmap', 'a', '-o', 'jsonpath={.data.b}')).output).toBe('c');
  });

  it('are restarted one after the other without a failed request', async () => {
    const requests = work(clients, { repeatsLost: false });
    for (const name of ['annex-1', 'annex-2']) {
      await project.find(name).restart();
      await requests.next();
    }
    expect(await requests.end()).toEqual({ failures: [], repeated: 0 });
  });

  it('go on without a failed request when a replica and the leader of etcd are killed', async () => {
    const requests = work(clients, { repeatsLost: true });
    for (const name of ['annex-1', await leader()]) {
      const service = project.find(name);
      const before = await service.restarts();
      await service.crash();
      await vi.waitUntil(async () => (await service.restarts()) > before && (await service.isHealthy()), {
        timeout: 60_000,
        interval: 200,
      });
      await requests.next();
    }
    const { failures, repeated } = await requests.end();
    expect(failures).toEqual([]);
    expect(repeated).toBeGreaterThan(0);
  });

  /** The service that is the leader of etcd. */
  async function leader(): Promise<string> {
    const keys = '/keys/pki/etcd';
    const output = await podman(
      ...['exec', project.find('etcd-1').container, 'etcdctl', '--endpoints=https://127.0.0.1:2379'],
      ...[`--cacert=${keys}/ca.crt`, `--cert=${keys}/client.crt`, `--key=${keys}/client.key`],
      ...['endpoint', 'status', '--cluster', '--write-out=json'],
    );
    const members = JSON.parse(output) as {
      Endpoint: string;
      Status: { leader: number; header: { member_id: number } };
    }[];
    const found = members.find(({ Status }) => Status.leader === Status.header.member_id);
    return new URL(found!.Endpoint).hostname;
  }
});
