import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePorts, tempFolder } from '@annex/testkit';
import { type ComposeService, type Condition, readCompose } from './compose-file.ts';
import { LocalAddresses } from './local-addresses.ts';
import type { Runner, RunnerOptions } from './runner.ts';
import { ServiceProcess } from './service-process.ts';

const composeFile = new URL('../../../deploy/compose.yaml', import.meta.url);

/** Starts the services of `deploy/compose.yaml` as processes of this machine, in a folder of their own. */
export async function startProcesses(options: RunnerOptions = {}): Promise<Runner> {
  const folder = tempFolder('annex-e2e-');
  const services = readCompose(readFileSync(composeFile, 'utf8'));
  const volumes = new Set(services.flatMap((service) => service.volumes.map(({ volume }) => volume)));
  const folders = new Map([...volumes].map((volume) => [volume, join(folder.path, volume)]));
  for (const path of folders.values()) mkdirSync(path);
  const addresses = new LocalAddresses(services, folders, await freePorts(3 * services.length));
  const more = new Map<string, readonly string[]>([
    ['front-proxy', options.args ?? []],
    ['controllers', [`--controllers=${options.controllers ?? ''}`]],
  ]);
  const processes = services.map((service) => {
    const own = withoutOverridden(service, more.get(service.name) ?? []);
    return new ServiceProcess(own, addresses, more.get(service.name) ?? []);
  });
  const project = new Project(processes);
  const keys = folders.get('keys') ?? folder.path;
  const stop = async () => {
    await project.stop();
    folder[Symbol.dispose]();
  };
  try {
    await project.start();
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url: `https://127.0.0.1:${addresses.published(6443)}`,
    kubeconfig: join(keys, 'admin.kubeconfig'),
    pki: join(keys, 'pki'),
    dataDir: folder.path,
    lines: () => processes.flatMap((process) => process.lines()),
    pids: () => new Map(processes.filter(({ stays }) => stays).map(({ name, pid }) => [name, pid])),
    restart: (signal = 'SIGTERM', name) => project.restart(signal, name),
    kill: (name, signal = 'SIGKILL') => project.find(name).stop(signal),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** The service without the options that are given anew. */
function withoutOverridden(service: ComposeService, more: readonly string[]): ComposeService {
  const flags = more.map((text) => text.replace(/=.*/s, '='));
  return {
    ...service,
    command: service.command.filter((text) => !flags.some((flag) => text.startsWith(flag))),
  };
}

/** Services that are started and stopped as `docker compose` does. */
class Project {
  readonly #processes: readonly ServiceProcess[];

  /** Each after those it depends on. */
  constructor(processes: readonly ServiceProcess[]) {
    this.#processes = processes;
  }

  find(name: string): ServiceProcess {
    const found = this.#processes.find((process) => process.name === name);
    if (found === undefined) throw new Error(`there is no service ${name}`);
    return found;
  }

  /** Starts all services, each when its conditions hold. Resolves when all are healthy or have done their work. */
  async start(): Promise<void> {
    const reached = new Map<string, Record<Condition, Promise<void>>>();
    for (const process of this.#processes) {
      const conditions = [...process.service.dependsOn].map(
        ([name, condition]) => reached.get(name)?.[condition],
      );
      const started = Promise.all(conditions).then(() => process.start());
      const end = started.then(() => (process.stays ? process.healthy() : process.completed()));
      // Whoever waits for them tells of failures; those that nobody waits for are told of by the last line.
      for (const promise of [started, end]) promise.catch(() => undefined);
      reached.set(process.name, {
        service_started: started,
        service_healthy: end,
        service_completed_successfully: end,
      });
    }
    await Promise.all([...reached.values()].map(({ service_healthy: end }) => end));
  }

  async stop(signal?: NodeJS.Signals): Promise<void> {
    for (const process of [...this.#processes].reverse()) await process.stop(signal);
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
