import { fileURLToPath } from 'node:url';
import type { ComposeService } from '../runners/compose-file.ts';
import type { StartableService } from '../runners/project.ts';
import { podman, tryPodman } from './podman.ts';

/** Where the containers of a project belong. */
export interface ContainerSetting {
  /** Precedes the names of containers, networks and volumes. */
  prefix: string;
  composeFile: URL;
  /** The images of this machine, by the names in the compose file. */
  images: ReadonlyMap<string, string>;
  /** Replaces the ports that the compose file publishes on the host, by the port of the container. */
  hostPorts: ReadonlyMap<number, number>;
  /** The environment of compose, of which services have what they name. */
  environment: Readonly<Record<string, string>>;
}

/** A service of a compose file in a container. */
export class ServiceContainer implements StartableService {
  readonly service: ComposeService;
  readonly container: string;
  readonly #setting: ContainerSetting;

  constructor(service: ComposeService, setting: ContainerSetting) {
    this.service = service;
    this.container = `${setting.prefix}-${service.name}`;
    this.#setting = setting;
  }

  get name(): string {
    return this.service.name;
  }

  get stays(): boolean {
    return this.service.healthcheck !== undefined;
  }

  async start(): Promise<void> {
    await podman('run', '--detach', ...runOptions(this.service, this.#setting), ...this.service.command);
  }

  async completed(): Promise<void> {
    const code = await podman('wait', this.container);
    if (code !== '0') throw new Error(`${this.name} ended with ${code}:\n${await this.logs()}`);
  }

  async healthy(): Promise<void> {
    const { healthcheck } = this.service;
    if (healthcheck === undefined) throw new Error(`${this.name} has no health check`);
    const end = Date.now() + healthcheck.timeoutMs;
    while (!(await this.isHealthy())) {
      if (Date.now() > end) throw new Error(`${this.name} did not become healthy:\n${await this.logs()}`);
      await new Promise((resolve) => setTimeout(resolve, healthcheck.pauseMs));
    }
  }

  /** Runs the health check in the container once. Without systemd, podman does not do it by itself. */
  async isHealthy(): Promise<boolean> {
    const { command = [] } = this.service.healthcheck ?? {};
    return (await tryPodman('exec', this.container, ...command)).code === 0;
  }

  /** Stops the container as `docker compose restart` does, and starts it again. */
  async restart(): Promise<void> {
    await podman('restart', `--time=${this.service.isolation.stopMs / 1000}`, this.container);
    await this.healthy();
  }

  /** Ends the container as a crash does, so that its restart policy applies. */
  async crash(): Promise<void> {
    process.kill(await this.pid(), 'SIGKILL');
  }

  /** The number of times that its restart policy was applied. */
  restarts = async (): Promise<number> => Number(await this.inspect('{{.RestartCount}}'));

  /** The process on this machine that is the first one of the container. */
  pid = async (): Promise<number> => Number(await this.inspect('{{.State.Pid}}'));

  inspect = (format: string): Promise<string> => podman('inspect', `--format=${format}`, this.container);

  logs = async (): Promise<string> => (await tryPodman('logs', '--tail=50', this.container)).text;

  /** Removes the container after a signal and ten seconds at most. */
  async stop(): Promise<void> {
    await tryPodman('rm', '--force', '--time=10', this.container);
  }
}

/** The options of `podman run` for everything that a service of a compose file says, except for its command. */
export function runOptions(service: ComposeService, setting: ContainerSetting): string[] {
  const { isolation } = service;
  const { prefix } = setting;
  const networks = isolation.networks.map((name) => `--network=${prefix}-${name}:alias=${service.name}`);
  const mode = (target: string) => (isolation.readOnlyTargets.includes(target) ? ':ro' : '');
  const volumes = service.volumes.map(
    ({ volume, target }) => `--volume=${prefix}-${volume}:${target}${mode(target)}`,
  );
  const files = service.files.map(
    ({ source, target }) =>
      `--volume=${fileURLToPath(new URL(source, setting.composeFile))}:${target}${mode(target)}`,
  );
  const limits = [
    ['user', isolation.user],
    ['pids-limit', isolation.pidsLimit],
    ['memory', isolation.memoryLimit],
  ].flatMap(([name, value]) => (value === undefined ? [] : [`--${name}=${value}`]));
  const ports = service.ports.map(
    ({ host, container }) => `--publish=127.0.0.1:${setting.hostPorts.get(container) ?? host}:${container}`,
  );
  return [
    `--name=${prefix}-${service.name}`,
    `--restart=${isolation.restart}`,
    ...limits,
    `--read-only=${isolation.readOnly}`,
    `--init=${isolation.init}`,
    ...isolation.tmpfs.map((path) => `--tmpfs=${path}`),
    ...isolation.droppedCapabilities.map((name) => `--cap-drop=${name}`),
    ...isolation.securityOptions.map((option) => `--security-opt=${option.replace(':true', '')}`),
    ...(networks.length > 0 ? networks : ['--network=none']),
    ...volumes,
    ...files,
    ...ports,
    ...Object.entries(service.environment).map(([name, value]) => `--env=${name}=${value}`),
    ...service.passedEnvironment.flatMap((name) =>
      Object.hasOwn(setting.environment, name) ? [`--env=${name}=${setting.environment[name]}`] : [],
    ),
    setting.images.get(service.image) ?? service.image,
  ];
}
