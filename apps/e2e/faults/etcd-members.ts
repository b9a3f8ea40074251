import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePorts, type RunningProcess, startProcess, tempFolder } from '@annex/testkit';

const binary = fileURLToPath(new URL('../../../.cache/reference/bin/etcd', import.meta.url));

/** One member of an etcd cluster. */
export interface EtcdMember {
  name: string;
  port: number;
  process(): RunningProcess;
  /** Ends the process with a signal, and starts it on the same data. */
  restart(signal: NodeJS.Signals): Promise<void>;
}

/** Starts an etcd cluster of three members. Throws if `conformance/reference/start.sh` has not built etcd. */
export async function startEtcdMembers(opened: AsyncDisposableStack): Promise<EtcdMember[]> {
  if (!existsSync(binary)) throw new Error('there is no etcd: conformance/reference/start.sh builds it');
  const folder = opened.use(tempFolder('annex-etcd-'));
  const ports = await freePorts(6);
  const url = (port: number | undefined) => `http://127.0.0.1:${port}`;
  const names = ['etcd-1', 'etcd-2', 'etcd-3'];
  const cluster = names.map((name, i) => `${name}=${url(ports[i + 3])}`).join(',');
  return await Promise.all(
    names.map(async (name, i): Promise<EtcdMember> => {
      const args = [
        `--name=${name}`,
        `--data-dir=${join(folder.path, name)}`,
        `--listen-client-urls=${url(ports[i])}`,
        `--advertise-client-urls=${url(ports[i])}`,
        `--listen-peer-urls=${url(ports[i + 3])}`,
        `--initial-advertise-peer-urls=${url(ports[i + 3])}`,
        `--initial-cluster=${cluster}`,
      ];
      const start = () => startProcess(binary, { args, until: /ready to serve client requests/ });
      let running = await start();
      opened.defer(async () => void (await running.stop('SIGKILL')));
      return {
        name,
        port: ports[i]!,
        process: () => running,
        async restart(signal) {
          await running.stop(signal);
          running = await start();
        },
      };
    }),
  );
}
