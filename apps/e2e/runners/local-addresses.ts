import type { ComposeService } from './compose-file.ts';

/** Options of the port that a service listens on. */
const ownPorts = new Set([
  'port',
  'health-port',
  'secure-port',
  'agent-port',
  'admin-port',
  'health-server-port',
  'admin-server-port',
]);
const loopback = new Set(['0.0.0.0', '127.0.0.1', 'localhost']);

/**
 * Maps values of a compose file to processes of one machine: each port of each service to a free port, service names to 127.0.0.1, volumes
 * to folders.
 */
export class LocalAddresses {
  readonly #services: ReadonlyMap<string, ComposeService>;
  readonly #folders: ReadonlyMap<string, string>;
  readonly #free: number[];
  readonly #ports = new Map<string, number>();

  constructor(
    services: readonly ComposeService[],
    folders: ReadonlyMap<string, string>,
    free: readonly number[],
  ) {
    this.#services = new Map(services.map((service) => [service.name, service]));
    this.#folders = folders;
    this.#free = [...free];
  }

  /** Returns the local port for a port of a service. */
  port(service: string, port: number): number {
    const key = `${service}:${port}`;
    let mapped = this.#ports.get(key);
    if (mapped === undefined) {
      mapped = this.#free.pop();
      if (mapped === undefined) throw new Error(`no free port is left for ${key}`);
      this.#ports.set(key, mapped);
    }
    return mapped;
  }

  /** Returns the local port for a port that is published on the host. */
  published(host: number): number | undefined {
    for (const { name, ports } of this.#services.values()) {
      const found = ports.find((port) => port.host === host);
      if (found) return this.port(name, found.container);
    }
    return undefined;
  }

  /** Maps a word of a command. */
  word(service: ComposeService, text: string): string {
    const [, flag, value] = /^(--[a-z-]+=)(.*)$/.exec(text) ?? [undefined, '', text];
    return `${flag}${this.value(service, flag?.slice(2, -1) ?? '', value ?? '')}`;
  }

  /** Maps the value of an option, or of its environment variable. */
  value(service: ComposeService, option: string, text: string): string {
    if (ownPorts.has(option)) return String(this.port(service.name, Number(text)));
    if (option === 'advertise-port') return String(this.published(Number(text)) ?? text);
    if (option === 'proxy-server-port') return String(this.port(agentServer(service), Number(text)));
    if (loopback.has(text) || (option === 'proxy-server-host' && this.#services.has(text)))
      return '127.0.0.1';
    return this.#path(
      service,
      text.replace(/(https?:\/\/)([\w.-]+):(\d+)/g, (url, scheme, host: string, port: string) => {
        const mapped = this.#reached(service, host, Number(port));
        return mapped === undefined ? url : `${scheme}127.0.0.1:${mapped}`;
      }),
    );
  }

  #reached(from: ComposeService, host: string, port: number): number | undefined {
    if (this.#services.has(host)) return this.port(host, port);
    if (!loopback.has(host)) return undefined;
    // In a service that publishes no ports, a published port is that of the host: `annex pki` writes it for users.
    const isOwn = from.ports.some(({ container }) => container === port);
    return isOwn ? this.port(from.name, port) : (this.published(port) ?? this.port(from.name, port));
  }

  #path(service: ComposeService, text: string): string {
    const mounts = [...service.volumes, ...[...this.#services.values()].flatMap(({ volumes }) => volumes)];
    // The path of a volume that only others have is a path for them.
    const mount = mounts.find(({ target }) => text === target || text.startsWith(`${target}/`));
    return mount ? `${this.#folders.get(mount.volume)}${text.slice(mount.target.length)}` : text;
  }
}

/** The service that an agent connects to: its port is an option of its own. */
const agentServer = ({ command }: ComposeService): string =>
  command.find((text) => text.startsWith('--proxy-server-host='))?.split('=')[1] ?? '';

/** Returns the option of an environment variable. */
export const optionOf = (variable: string): string =>
  variable
    .replace(/^ANNEX_/, '')
    .toLowerCase()
    .replaceAll('_', '-');
