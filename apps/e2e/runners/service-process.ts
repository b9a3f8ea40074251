import { type RunningProcess, startProcess } from '@annex/testkit';
import { annexCommand, annexNode } from './annex-command.ts';
import type { ComposeService } from './compose-file.ts';
import { type HealthCheck, healthCheckOf, isHealthy } from './health.ts';
import { type LocalAddresses, optionOf } from './local-addresses.ts';
import type { StartableService } from './project.ts';

/** The environment of the container image; the environment of this process is not passed on. */
const imageEnvironment = {
  NODE_ENV: 'production',
  PATH: process.env.PATH ?? '',
};

/** Other suites use the processors too, so timeouts of containers are multiplied by this factor. */
const patience = 4;

/** A service of a compose file as a process of this machine. */
export class ServiceProcess implements StartableService {
  readonly service: ComposeService;
  readonly #command: readonly string[];
  readonly #check: HealthCheck | undefined;
  readonly #env: Record<string, string>;
  readonly #before: string[] = [];
  #running: RunningProcess | undefined;
  // A suite that kills the process expects its exit code.
  #isKilled = false;

  constructor(
    service: ComposeService,
    addresses: LocalAddresses,
    more: readonly string[],
    env: Readonly<Record<string, string>>,
    composeEnv: Readonly<Record<string, string>> = {},
  ) {
    const words = (command: readonly string[]) => command.map((text) => addresses.word(service, text));
    this.service = service;
    this.#command = [...words(service.command), ...more];
    this.#check = service.healthcheck && healthCheckOf(words(service.healthcheck.command));
    const own = Object.entries(service.environment).map(([name, text]) => [
      name,
      addresses.value(service, optionOf(name), String(text)),
    ]);
    const passed = service.passedEnvironment
      .filter((name) => composeEnv[name] !== undefined)
      .map((name) => [name, addresses.value(service, optionOf(name), composeEnv[name]!)]);
    const values = Object.fromEntries([...own, ...passed, ...Object.entries(env)]) as Record<string, string>;
    this.#env = { ...imageEnvironment, ...values };
  }

  get name(): string {
    return this.service.name;
  }

  /** True for services that keep running, false for those that complete. */
  get stays(): boolean {
    return this.service.healthcheck !== undefined;
  }

  get pid(): number {
    return this.#running?.pid ?? 0;
  }

  lines(): string[] {
    return [...this.#before, ...(this.#running?.lines ?? [])].map((line) => `${this.name} | ${line}`);
  }

  async start(): Promise<void> {
    this.#before.push(...(this.#running?.lines ?? []));
    const [command = '', ...args] = onThisMachine(this.#command);
    this.#running = await startProcess(command, { args, env: this.#env });
    this.#isKilled = false;
  }

  /** Resolves when the process has exited with code 0. */
  async completed(): Promise<void> {
    const code = await this.#running?.exited;
    if (code !== 0) throw this.#failure(`ended with ${String(code)}`);
  }

  /** Resolves when the health check passes. */
  async healthy(): Promise<void> {
    const { healthcheck } = this.service;
    if (healthcheck === undefined || this.#check === undefined)
      throw new Error(`${this.name} has no health check`);
    const end = Date.now() + patience * healthcheck.timeoutMs;
    const gone = this.#running?.exited.then((code) => {
      throw this.#failure(`ended with ${String(code)} before it was healthy`);
    });
    gone?.catch(() => undefined);
    while (!(await Promise.race([isHealthy(this.#check), gone]))) {
      if (Date.now() > end) throw this.#failure('did not become healthy');
      await new Promise((resolve) => setTimeout(resolve, healthcheck.pauseMs));
    }
  }

  /** Ends the process with a signal. Rejects if `SIGTERM` does not end it with code 0, unless a suite has killed it. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const code = await this.#running?.stop(signal);
    // etcd ends with the signal.
    const isRefused = code !== undefined && code !== 0 && this.#command[0] === 'annex';
    if (isRefused && signal === 'SIGTERM' && !this.#isKilled)
      throw this.#failure(`ended with ${String(code)}`);
  }

  /** Ends the process with a signal. Resolves to its exit code, or to the signal that ended it. */
  async kill(signal: NodeJS.Signals): Promise<number | NodeJS.Signals | undefined> {
    this.#isKilled = true;
    return await this.#running?.stop(signal);
  }

  #failure(what: string): Error {
    return new Error(`${this.name} ${what}:\n${this.lines().join('\n')}`);
  }
}

/** Replaces the files in the command line of a container by those of this machine. */
const onThisMachine = ([command = '', ...args]: readonly string[]): string[] =>
  command === 'annex' ? [annexNode, annexCommand, ...args] : [command, ...args];
