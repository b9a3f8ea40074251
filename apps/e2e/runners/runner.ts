/** A running Annex, however it runs. Suites see nothing else of it. */
export interface Runner extends AsyncDisposable {
  /** `https://127.0.0.1:port` of the front proxy. */
  readonly url: string;
  /** Where the apps behind it listen that are processes of their own, by name. */
  apps(): ReadonlyMap<string, string>;
  /** The administrator's kubeconfig. */
  readonly kubeconfig: string;
  /** The folder with `ca.crt`, `ca.key`, `front-proxy-ca.crt`, … */
  readonly pki: string;
  /** Every line that the processes wrote so far. */
  lines(): readonly string[];
  /** The folder that holds the data of all processes. */
  readonly dataDir: string;
  /** The processes that were started, by name: `annex`, or the services of the compose file. */
  pids(): ReadonlyMap<string, number>;
  /** Ends everything, or one process, with this signal and starts it again on the same data and port. */
  restart(signal?: NodeJS.Signals, name?: string): Promise<void>;
  /** Sends a signal to one process, which stays ended until it is restarted. Resolves to its exit code, or to the signal that ended it. */
  kill(name: string, signal?: NodeJS.Signals): Promise<number | NodeJS.Signals | undefined>;
  stop(): Promise<void>;
}

/** What a suite may ask for. */
export interface RunnerOptions {
  /** `--controllers`; none by default. */
  controllers?: string;
  /** Nothing of it is needed after a restart: a single process keeps nothing on disk but the keys. */
  ephemeral?: boolean;
  /** Where the folder for the data is made; among the temporary ones by default. */
  parent?: string;
  /** Further options of the front proxy or the single process. */
  args?: readonly string[];
  /** Environment variables of every process, in addition to those that it has. */
  env?: Readonly<Record<string, string>>;
}
