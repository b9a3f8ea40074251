import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findTool, freePorts, type RunningProcess, startProcess, tempFolder } from '@annex/testkit';
import { type EtcdApi, etcdApi } from './etcd-api.ts';
import { Network } from './network.ts';

const built = fileURLToPath(new URL('../../../.cache/reference/bin/etcd', import.meta.url));

/** Returns the etcd that `conformance/reference/start.sh` built, or that of `PATH`. */
const findEtcd = (): string | undefined => (existsSync(built) ? built : findTool('etcd'));

/** True if there is an etcd; otherwise prints the name of the skipped suite. */
export function requireEtcd(suite: string): boolean {
  if (findEtcd() !== undefined) return true;
  process.stderr.write(`SKIPPED ${suite}: no etcd in PATH; conformance/reference/start.sh builds one\n`);
  return false;
}

/** One member of an etcd cluster. */
export interface EtcdMember {
  readonly name: string;
  /** The port of its clients. */
  readonly port: number;
  /** The port of the other members. */
  readonly peerPort: number;
  readonly api: EtcdApi;
  process(): RunningProcess;
  /** Ends the process with a signal, and starts it on the same data. */
  restart(signal: NodeJS.Signals): Promise<void>;
}

/** An etcd cluster, and the network between its members. */
export interface EtcdCluster {
  members: readonly EtcdMember[];
  peers: Network;
}

/**
 * Starts an etcd cluster of three members; the data of one can be in another folder. Throws if there is no
 * etcd.
 */
export async function startEtcdMembers(
  opened: AsyncDisposableStack,
  folders: Readonly<Record<string, string>> = {},
): Promise<EtcdCluster> {
  const binary = findEtcd();
  if (binary === undefined) throw new Error('there is no etcd: conformance/reference/start.sh builds it');
  const folder = opened.use(tempFolder('annex-etcd-'));
  const ports = await freePorts(6);
  const peers = new Network();
  const advertised = await Promise.all(ports.slice(3).map((port) => peers.proxy(port, opened)));
  const url = (port: number | undefined) => `http://127.0.0.1:${port}`;
  const names = ['etcd-1', 'etcd-2', 'etcd-3'];
  const cluster = names.map((name, i) => `${name}=${url(advertised[i])}`).join(',');
  const start = async (name: string, i: number): Promise<EtcdMember> => {
    const args = [
      `--name=${name}`,
      `--data-dir=${join(folders[name] ?? folder.path, name)}`,
      `--listen-client-urls=${url(ports[i])}`,
      `--advertise-client-urls=${url(ports[i])}`,
      `--listen-peer-urls=${url(ports[i + 3])}`,
      `--initial-advertise-peer-urls=${url(advertised[i])}`,
      `--initial-cluster=${cluster}`,
    ];
    const run = () => startProcess(binary, { args, until: /ready to serve client requests/ });
    let running = await run();
    opened.defer(async () => void (await running.stop('SIGKILL')));
    return {
      name,
      port: ports[i]!,
      peerPort: ports[i + 3]!,
      api: etcdApi(url(ports[i])),
      process: () => running,
      async restart(signal) {
        await running.stop(signal);
        running = await run();
      },
    };
  };
  return { members: await Promise.all(names.map(start)), peers };
}
