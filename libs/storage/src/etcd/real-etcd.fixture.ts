import { freePorts, type RunningProcess, startProcess, tempFolder } from '@annex/testkit';

/** A running etcd of one member, with a separate data directory. */
export interface RealEtcd extends AsyncDisposable {
  readonly url: string;
  /** Ends the process with a signal and restarts it on the same data. */
  restart(signal: NodeJS.Signals): Promise<void>;
  /** Runs etcdctl against it. Resolves when the command succeeded. */
  etcdctl(...args: string[]): Promise<void>;
}

/** Starts the etcd binary of this machine with these options. */
export async function startRealEtcd(...options: string[]): Promise<RealEtcd> {
  const folder = tempFolder('annex-etcd-');
  const [url, peer] = (await freePorts(2)).map((port) => `http://127.0.0.1:${port}`) as [string, string];
  const args = [
    `--data-dir=${folder.path}`,
    `--listen-client-urls=${url}`,
    `--advertise-client-urls=${url}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=default=${peer}`,
    ...options,
  ];
  const start = (): Promise<RunningProcess> =>
    startProcess('etcd', { args, until: /ready to serve client requests/ });
  let running = await start();
  return {
    url,
    async restart(signal) {
      await running.stop(signal);
      running = await start();
    },
    async etcdctl(...command) {
      const control = await startProcess('etcdctl', { args: [`--endpoints=${url}`, ...command] });
      const code = await control.exited;
      if (code !== 0) throw new Error(`etcdctl ended with ${code}: ${control.lines.join('\n')}`);
    },
    async [Symbol.asyncDispose]() {
      await running.stop();
      folder[Symbol.dispose]();
    },
  };
}
