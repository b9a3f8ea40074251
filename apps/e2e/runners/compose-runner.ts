import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePorts, tempFolder } from '@annex/testkit';
import { type ComposeService, readCompose } from './compose-file.ts';
import { LocalAddresses } from './local-addresses.ts';
import { Project } from './project.ts';
import type { Runner, RunnerOptions } from './runner.ts';
import { ServiceProcess } from './service-process.ts';
import { giveKeys } from './shared-keys.ts';

const composeFile = new URL('../../../deploy/compose.yaml', import.meta.url);

/** Starts the services of `deploy/compose.yaml` as processes of this machine, in a new folder. */
export const startProcesses = (options?: RunnerOptions): Promise<Runner> =>
  startServices(readCompose(readFileSync(composeFile, 'utf8'), options?.profiles), options);

/** The same with etcd instead of object-storage. */
export const startProcessesOnEtcd = (options?: RunnerOptions): Promise<Runner> =>
  startServices(readCompose(readFileSync(composeFile, 'utf8')).map(onEtcd), options);

/** The port of the apps behind the front proxy. */
const appPort = 8443;

const peerUrl = 'http://127.0.0.1:2380';

/** Replaces object-storage by etcd. It has etcd's options except for the log format; etcd also needs its advertised URLs. */
function onEtcd(service: ComposeService): ComposeService {
  if (service.name !== 'object-storage') return service;
  const options = service.command.slice(2).filter((text) => !text.startsWith('--log-format'));
  const peers = [`--listen-peer-urls=${peerUrl}`, `--initial-advertise-peer-urls=${peerUrl}`];
  return {
    ...service,
    command: ['etcd', ...options, ...peers, `--initial-cluster=default=${peerUrl}`],
  };
}

async function startServices(
  services: readonly ComposeService[],
  options: RunnerOptions = {},
): Promise<Runner> {
  const folder = tempFolder('annex-e2e-', options.parent);
  const folders = volumeFolders(services, folder.path);
  for (const path of folders.values()) mkdirSync(path, { recursive: true });
  const addresses = new LocalAddresses(services, folders, await freePorts(3 * services.length));
  const more = new Map<string, readonly string[]>([
    ['front-proxy', options.args ?? []],
    ['controllers', [`--controllers=${options.controllers ?? ''}`]],
  ]);
  const processes = services.map((service) => {
    const own = withoutOverridden(service, more.get(service.name) ?? []);
    return new ServiceProcess(
      own,
      addresses,
      more.get(service.name) ?? [],
      options.env ?? {},
      options.composeEnv,
    );
  });
  const behind = services.filter(({ command }) => command.includes(`--port=${appPort}`));
  const project = new Project(processes);
  const keys = folders.get('keys') ?? folder.path;
  giveKeys(keys);
  const stop = async () => {
    try {
      await project.stop();
    } finally {
      folder[Symbol.dispose]();
    }
  };
  try {
    await project.start();
  } catch (error) {
    await stop().catch(() => undefined);
    throw error;
  }
  return {
    url: `https://127.0.0.1:${addresses.published(6443)}`,
    apps: () =>
      new Map(behind.map(({ name }) => [name, `https://127.0.0.1:${addresses.port(name, appPort)}`])),
    kubeconfig: join(keys, 'admin.kubeconfig'),
    pki: join(keys, 'pki'),
    dataDir: folder.path,
    lines: () => processes.flatMap((process) => process.lines()),
    pids: () => new Map(processes.filter(({ stays }) => stays).map(({ name, pid }) => [name, pid])),
    restart: (signal = 'SIGTERM', name) => project.restart(signal, name),
    kill: (name, signal = 'SIGKILL') => project.find(name).kill(signal),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** Returns the folder of each volume. A volume that is mounted inside another volume is a folder inside its folder. */
function volumeFolders(services: readonly ComposeService[], parent: string): Map<string, string> {
  const mounts = services.flatMap(({ volumes }) => volumes.map((mount) => ({ mount, among: volumes })));
  const folders = new Map(mounts.map(({ mount }) => [mount.volume, join(parent, mount.volume)]));
  for (const { mount, among } of mounts) {
    const outer = among.find(({ target }) => mount.target.startsWith(`${target}/`));
    if (outer === undefined) continue;
    folders.set(mount.volume, join(parent, outer.volume, mount.target.slice(outer.target.length)));
  }
  return folders;
}

/** Returns the service without the options that `more` overrides. */
function withoutOverridden(service: ComposeService, more: readonly string[]): ComposeService {
  const flags = more.map((text) => text.replace(/=.*/s, '='));
  return {
    ...service,
    command: service.command.filter((text) => !flags.some((flag) => text.startsWith(flag))),
  };
}
