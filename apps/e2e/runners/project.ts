import type { ComposeService, Condition } from './compose-file.ts';

/** A service of a compose file that can be started: as a process or in a container. */
export interface StartableService {
  readonly name: string;
  readonly service: ComposeService;
  /** True for services that keep running, false for those that complete. */
  readonly stays: boolean;
  start(): Promise<void>;
  /** Resolves when the health check passes. */
  healthy(): Promise<void>;
  /** Resolves when it has ended with code 0. */
  completed(): Promise<void>;
  stop(signal?: NodeJS.Signals): Promise<unknown>;
}

/** Starts and stops services as `docker compose` does. */
export class Project<Service extends StartableService> {
  readonly #processes: readonly Service[];

  /** Expects each service after those it depends on. */
  constructor(processes: readonly Service[]) {
    this.#processes = processes;
  }

  find(name: string): Service {
    const found = this.#processes.find((process) => process.name === name);
    if (found === undefined) throw new Error(`there is no service ${name}`);
    return found;
  }

  /** Starts all services, each when its conditions are met. Resolves when all are healthy or completed. */
  async start(): Promise<void> {
    const reached = new Map<string, Record<Condition, Promise<void>>>();
    for (const process of this.#processes) {
      const conditions = [...process.service.dependsOn].map(
        ([name, condition]) => reached.get(name)?.[condition],
      );
      const started = Promise.all(conditions).then(() => process.start());
      const end = started.then(() => (process.stays ? process.healthy() : process.completed()));
      // Failures are reported where the promises are awaited, or by the last line of this function.
      for (const promise of [started, end]) promise.catch(() => undefined);
      reached.set(process.name, {
        service_started: started,
        service_healthy: end,
        service_completed_successfully: end,
      });
    }
    await Promise.all([...reached.values()].map(({ service_healthy: end }) => end));
  }

  /** Stops all services, the last one first. Rejects with the first error after all have ended. */
  async stop(signal?: NodeJS.Signals): Promise<void> {
    const errors: unknown[] = [];
    for (const process of [...this.#processes].reverse())
      await process.stop(signal).catch((error: unknown) => errors.push(error));
    if (errors.length > 0) throw errors[0];
  }

  async restart(signal: NodeJS.Signals, name: string | undefined): Promise<void> {
    if (name === undefined) {
      await this.stop(signal);
      return this.start();
    }
    const process = this.find(name);
    await process.stop(signal);
    await process.start();
    await process.healthy();
  }
}
