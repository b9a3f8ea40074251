/** A running Annex, on one process or several. Suites access it only by this interface. */
export interface Runner extends AsyncDisposable {
  /** `https://127.0.0.1:port` of the front proxy. */
  readonly url: string;
  /** URLs of the apps that are separate processes, by name. */
  apps(): ReadonlyMap<string, string>;
  /** The administrator's kubeconfig. */
  readonly kubeconfig: string;
  /** The folder with `ca.crt`, `ca.key`, `front-proxy-ca.crt`, … */
  readonly pki: string;
  /** Returns all output lines of the processes so far. */
  lines(): readonly string[];
  /** The folder with the data of all processes. */
  readonly dataDir: string;
  /** The started processes, by name: `annex`, or the services of the compose file. */
  pids(): ReadonlyMap<string, number>;
  /** Ends all processes, or one, with this signal, and starts them again with the same data and port. */
  restart(signal?: NodeJS.Signals, name?: string): Promise<void>;
  /** Sends a signal to one process, which is not restarted. Resolves to its exit code, or to the signal that ended it. */
  kill(name: string, signal?: NodeJS.Signals): Promise<number | NodeJS.Signals | undefined>;
  stop(): Promise<void>;
}

/** How a process starts differently from its last start. */
export interface StartVariant {
  /** The file of the command. */
  command?: string | undefined;
  args: readonly string[];
}

/** Options of a runner. */
export interface RunnerOptions {
  /** `--controllers`; none by default. */
  controllers?: string;
  /** True if data is not needed after a restart: a single process stores only its keys on disk. */
  ephemeral?: boolean;
  /** The parent of the data folder; by default that of temporary folders. */
  parent?: string;
  /** The profiles of separate processes. */
  profiles?: readonly string[];
  /** The environment of compose: services have the variables that they name without a value. */
  composeEnv?: Readonly<Record<string, string>>;
  /** Additional options of the front proxy or the single process. */
  args?: readonly string[];
  /** Additional environment variables of every process. */
  env?: Readonly<Record<string, string>>;
  /** Called at each start of a single process: the command of another version, and further options. */
  variant?: () => StartVariant;
  /** The Node of a single process; by default that of all suites. */
  node?: string | undefined;
}
