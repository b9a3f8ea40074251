import { parse } from 'yaml';

/** The condition for starting a service that depends on another one. */
export type Condition = 'service_started' | 'service_healthy' | 'service_completed_successfully';

/** The members of a compose service that apply to processes. */
export interface ComposeService {
  name: string;
  image: string;
  command: readonly string[];
  environment: Readonly<Record<string, string>>;
  /** Variables that have the value of the environment of compose, if they are in it. */
  passedEnvironment: readonly string[];
  /** Named volumes and their mount points. */
  volumes: readonly { volume: string; target: string }[];
  /** Files beside the compose file and their mount points. */
  files: readonly { source: string; target: string }[];
  /** Ports that are published on the host. */
  ports: readonly { host: number; container: number }[];
  dependsOn: ReadonlyMap<string, Condition>;
  healthcheck: { command: readonly string[]; pauseMs: number; timeoutMs: number } | undefined;
  isolation: Isolation;
}

/** The members that isolate a container; processes on the same machine have no equivalent. */
export interface Isolation {
  /** Otherwise that of the image. */
  user: string | undefined;
  readOnly: boolean;
  tmpfs: readonly string[];
  droppedCapabilities: readonly string[];
  securityOptions: readonly string[];
  init: boolean;
  restart: string;
  pidsLimit: number | undefined;
  memoryLimit: string | undefined;
  /** The time between SIGTERM and SIGKILL. */
  stopMs: number;
  /** Names of networks; none for a service without network. */
  networks: readonly string[];
  /** Mount points that are read-only. */
  readOnlyTargets: readonly string[];
}

/** The networks of a compose file, by name; true for those that do not lead outside. */
export function readNetworks(text: string): Map<string, boolean> {
  const { networks = {} } = parse(text, { merge: true }) as {
    networks?: Record<string, { internal?: boolean }>;
  };
  return new Map(Object.entries(networks).map(([name, { internal = false }]) => [name, internal]));
}

type Raw = Record<string, unknown>;

/** Keys of {@link Isolation}, and those of the image. */
const containerOnly = [
  'image',
  'build',
  'user',
  'read_only',
  'tmpfs',
  'cap_drop',
  'security_opt',
  'init',
  'restart',
  'pids_limit',
  'mem_limit',
  'networks',
  'stop_grace_period',
];
const known = new Set([
  ...containerOnly,
  'command',
  'profiles',
  'environment',
  'volumes',
  'ports',
  'depends_on',
  'healthcheck',
]);

/**
 * Parses the services of a compose file, each after those it depends on: those without a profile, and those of the profiles. Throws if
 * processes do not support a member.
 */
export function readCompose(text: string, profiles: readonly string[] = []): ComposeService[] {
  if (text.includes('$')) throw new Error('variables in a compose file are not supported');
  const { services = {}, volumes = {} } = parse(text, { merge: true }) as Record<string, Record<string, Raw>>;
  const isChosen = ({ profiles: own = [] }: { profiles?: string[] }) =>
    own.length === 0 || own.some((profile) => profiles.includes(profile));
  const read = new Map(
    Object.entries(services)
      .filter(([, raw]) => isChosen(raw))
      .map(([name, raw]) => [name, readService(name, raw)]),
  );
  for (const service of read.values()) {
    for (const { volume } of service.volumes) {
      if (!Object.hasOwn(volumes, volume)) throw new Error(`${service.name}: there is no volume ${volume}`);
    }
  }
  return inOrder(read);
}

function readService(name: string, raw: Raw): ComposeService {
  const unknown = Object.keys(raw).filter((key) => !known.has(key) && !isCutOff(key, raw[key]));
  if (unknown.length > 0) throw new Error(`${name}: ${unknown.join(', ')} is not supported`);
  const environment = Object.entries((raw.environment ?? {}) as Record<string, string | null>);
  const dependsOn = Object.entries((raw.depends_on ?? {}) as Record<string, { condition: Condition }>);
  const mounts = ((raw.volumes ?? []) as string[]).map((text) => text.split(':'));
  return {
    name,
    image: String(raw.image),
    command: (raw.command ?? []) as string[],
    environment: Object.fromEntries(
      environment.filter((entry): entry is [string, string] => entry[1] !== null),
    ),
    passedEnvironment: environment.filter(([, value]) => value === null).map(([name]) => name),
    volumes: mounts
      .filter(([volume = '']) => !isFile(volume))
      .map(([volume = '', target = '']) => ({ volume, target })),
    files: mounts
      .filter(([source = '']) => isFile(source))
      .map(([source = '', target = '']) => ({ source, target })),
    ports: ((raw.ports ?? []) as string[]).map((text) => {
      const [container, host] = text.split(':').reverse().map(Number);
      return { host: host ?? 0, container: container ?? 0 };
    }),
    dependsOn: new Map(dependsOn.map(([other, { condition }]) => [other, condition])),
    healthcheck: readHealthcheck(raw.healthcheck as Raw | undefined),
    isolation: readIsolation(raw),
  };
}

const isFile = (source: string) => source.startsWith('./');

const readIsolation = (raw: Raw): Isolation => ({
  user: raw.user as string | undefined,
  readOnly: raw.read_only === true,
  tmpfs: (raw.tmpfs ?? []) as string[],
  droppedCapabilities: (raw.cap_drop ?? []) as string[],
  securityOptions: (raw.security_opt ?? []) as string[],
  init: raw.init === true,
  restart: String(raw.restart ?? 'no'),
  pidsLimit: raw.pids_limit as number | undefined,
  memoryLimit: raw.mem_limit as string | undefined,
  stopMs: milliseconds(raw.stop_grace_period ?? '10s'),
  networks: (raw.networks ?? []) as string[],
  readOnlyTargets: ((raw.volumes ?? []) as string[])
    .map((text) => text.split(':'))
    .flatMap(([, target = '', mode]) => (mode === 'ro' ? [target] : [])),
});

/** True for containers without network, which is stricter isolation; other modes are not. */
const isCutOff = (key: string, value: unknown) => key === 'network_mode' && value === 'none';

function readHealthcheck(raw: Raw | undefined): ComposeService['healthcheck'] {
  if (raw === undefined) return undefined;
  const [kind, ...command] = raw.test as string[];
  if (kind !== 'CMD') throw new Error(`health checks by ${String(kind)} are not supported`);
  return {
    command,
    pauseMs: milliseconds(raw.start_interval ?? raw.interval),
    timeoutMs: milliseconds(raw.start_period),
  };
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000 };

function milliseconds(text: unknown): number {
  const [, digits, unit = ''] = /^(\d+)(ms|s|m)$/.exec(String(text)) ?? [];
  if (digits === undefined) throw new Error(`${String(text)} is no duration`);
  return Number(digits) * (units[unit] ?? 0);
}

function inOrder(services: ReadonlyMap<string, ComposeService>): ComposeService[] {
  const ordered = new Set<ComposeService>();
  const add = (name: string, path: readonly string[]): void => {
    const service = services.get(name);
    if (service === undefined) throw new Error(`${path.join(' -> ')}: there is no service ${name}`);
    if (path.includes(name)) throw new Error(`services wait for each other: ${[...path, name].join(' -> ')}`);
    for (const other of service.dependsOn.keys()) add(other, [...path, name]);
    ordered.add(service);
  };
  for (const name of services.keys()) add(name, []);
  return [...ordered];
}
