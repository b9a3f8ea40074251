import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { startProcess, tempFolder } from '@annex/testkit';
import { type ComposeService, readCompose } from './compose-file.ts';
import { LocalAddresses } from './local-addresses.ts';
import { annexCommand } from './annex-command.ts';

const file = fileURLToPath(new URL('../../../deploy/compose.yaml', import.meta.url));
const text = readFileSync(file, 'utf8');
const services = readCompose(text, ['fake-nodes', 'konnectivity', 'scheduler']);
const find = (name: string) => services.find((service) => service.name === name)!;

describe('deploy/compose.yaml', () => {
  it('contains every app as a service, each after those it depends on', () => {
    expect(services.map(({ name }) => name)).toEqual([
      'pki',
      'object-storage',
      'core-api',
      'crd-registry',
      'authorization',
      'discovery',
      'front-proxy',
      'controllers',
      'fake-nodes',
      'konnectivity-server',
      'konnectivity-agent',
      'scheduler',
    ]);
  });

  it('starts services of a profile only if it is chosen', () => {
    const names = readCompose(text).map(({ name }) => name);
    expect(names.filter((name) => /fake-nodes|konnectivity|scheduler/.test(name))).toEqual([]);
  });

  it('waits for keys, storage and apps by their health', () => {
    expect([...find('front-proxy').dependsOn]).toEqual([
      ['pki', 'service_completed_successfully'],
      ['object-storage', 'service_healthy'],
      ['core-api', 'service_started'],
      ['crd-registry', 'service_started'],
      ['authorization', 'service_started'],
      ['discovery', 'service_started'],
    ]);
  });

  it('isolates every container: no root, no writes, no capabilities', () => {
    const raw = parse(text, { merge: true }) as { services: Record<string, object> };
    for (const service of Object.values(raw.services)) {
      expect(service).toMatchObject({
        user: '1000:1000',
        read_only: true,
        tmpfs: ['/tmp'],
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      });
    }
  });

  it('limits the processes and the memory of every container, and runs an init process in it', () => {
    const raw = parse(text, { merge: true }) as { services: Record<string, object> };
    for (const service of Object.values(raw.services))
      expect(service).toMatchObject({ init: true, pids_limit: 128, mem_limit: '2g' });
  });

  it('connects services as in the diagram of the architecture', () => {
    const { networks, services: raw } = parse(text, { merge: true }) as {
      networks: Record<string, { internal?: boolean }>;
      services: Record<string, { networks?: string[]; network_mode?: string }>;
    };
    expect(
      Object.fromEntries(Object.entries(raw).map(([name, service]) => [name, service.networks])),
    ).toEqual({
      pki: undefined,
      'object-storage': ['storage'],
      'core-api': ['storage', 'apps'],
      'crd-registry': ['storage', 'apps'],
      authorization: ['storage', 'apps'],
      discovery: ['storage', 'apps'],
      'front-proxy': ['storage', 'apps', 'control'],
      controllers: ['control'],
      'fake-nodes': ['control'],
      'konnectivity-server': ['agents'],
      'konnectivity-agent': ['agents'],
      scheduler: ['control'],
    });
    expect(raw.pki?.network_mode).toBe('none');
    // Only these have connections to the outside: to webhooks and extension API servers, of the API server or of agents.
    expect(networks).toEqual({
      storage: { internal: true },
      apps: {},
      control: { internal: true },
      agents: {},
    });
  });

  const etcdClient = ['pki/etcd/ca.crt', 'pki/etcd/client.crt', 'pki/etcd/client.key'];
  // Its variable has the value of the environment of compose.
  const egressSelector = 'egress-selector-configuration.yaml';
  const readable: Record<string, string[]> = {
    'object-storage': ['pki/etcd/ca.crt', 'pki/etcd/server.crt', 'pki/etcd/server.key'],
    'core-api': [
      egressSelector,
      'pki/ca.crt',
      'pki/core-api.crt',
      'pki/core-api.key',
      ...etcdClient,
      'pki/front-proxy-ca.crt',
      'pki/sa.key',
      'pki/sa.pub',
    ],
    'crd-registry': [
      egressSelector,
      'pki/ca.crt',
      'pki/crd-registry.crt',
      'pki/crd-registry.key',
      ...etcdClient,
      'pki/front-proxy-ca.crt',
    ],
    authorization: [
      egressSelector,
      'pki/authorization.crt',
      'pki/authorization.key',
      'pki/ca.crt',
      ...etcdClient,
      'pki/front-proxy-ca.crt',
    ],
    discovery: [
      egressSelector,
      'pki/ca.crt',
      'pki/discovery.crt',
      'pki/discovery.key',
      ...etcdClient,
      'pki/front-proxy-ca.crt',
      'pki/front-proxy-client.crt',
      'pki/front-proxy-client.key',
    ],
    'front-proxy': [
      egressSelector,
      'pki/apiserver.crt',
      'pki/apiserver.key',
      'pki/ca.crt',
      ...etcdClient,
      'pki/front-proxy-ca.crt',
      'pki/front-proxy-client.crt',
      'pki/front-proxy-client.key',
      'pki/sa.pub',
    ],
    controllers: [
      'controllers.kubeconfig',
      'pki/ca.crt',
      'pki/controllers.crt',
      'pki/controllers.key',
      'pki/sa.key',
    ],
    'fake-nodes': ['fake-nodes.kubeconfig'],
    'konnectivity-server': [
      'pki/konnectivity/ca.crt',
      'pki/konnectivity/server.crt',
      'pki/konnectivity/server.key',
    ],
    'konnectivity-agent': [
      'pki/konnectivity/agent.crt',
      'pki/konnectivity/agent.key',
      'pki/konnectivity/ca.crt',
    ],
    scheduler: ['pki/ca.crt', 'pki/scheduler.crt', 'pki/scheduler.key', 'scheduler.kubeconfig'],
  };

  it('mounts exactly the key files that each service reads', async () => {
    using folder = tempFolder('annex-keys-');
    const made = await startProcess(process.execPath, {
      args: [annexCommand, 'pki', '--data-dir', folder.path, '--service-keys'],
    });
    expect(await made.exited).toBe(0);
    const inside = join(folder.path, 'services');
    expect(readdirSync(inside).sort()).toEqual(Object.keys(readable).sort());
    for (const [name, files] of Object.entries(readable)) {
      expect(filesBelow(join(inside, name)), name).toEqual(files);
      for (const file of files) expect(statSync(join(inside, name, file)).mode & 0o777).toBe(0o600);
      const { passedEnvironment } = find(name);
      expect(passedEnvironment, name).toEqual(
        files.includes(egressSelector) ? ['ANNEX_EGRESS_SELECTOR_CONFIG_FILE'] : [],
      );
      expect(mentioned(find(name)), name).toEqual(files.filter((file) => file !== egressSelector));
    }
  });

  it('mounts each of these volumes in its service, read-only, and in the service that fills it', () => {
    const { services: raw } = parse(text, { merge: true }) as {
      services: Record<string, { volumes: string[] }>;
    };
    const { pki, ...servers } = Object.fromEntries(
      Object.entries(raw).map(([name, { volumes }]) => [name, volumes]),
    );
    const names = Object.keys(readable);
    expect(pki).toEqual(['keys:/keys', ...names.map((name) => `${name}-keys:/keys/services/${name}`)]);
    expect(servers).toEqual(
      Object.fromEntries(
        names.map((name) => [
          name,
          [...(name === 'object-storage' ? ['data:/data'] : []), ...tunnel(name), `${name}-keys:/keys:ro`],
        ]),
      ),
    );
  });

  it('has a folder in the image for each volume, with the user of the containers as its owner', () => {
    const image = readFileSync(new URL('../../../deploy/Dockerfile', import.meta.url), 'utf8');
    const made = /for name in ([^;]+); do \\\n\s+mkdir -p "\/image\/keys\/services/.exec(image)?.[1] ?? '';
    expect(made.split(/[\s\\]+/).sort()).toEqual(Object.keys(readable).sort());
    const others = services
      .flatMap(({ volumes }) => volumes.map(({ target }) => target))
      .filter((target) => !target.startsWith('/keys/services/'));
    const [, owned = ''] = /chown -R 1000:1000 (.+)/.exec(image) ?? [];
    expect(owned.split(' ').sort()).toEqual([...new Set(others)].map((target) => `/image${target}`).sort());
  });

  it('publishes only the front proxy on this machine', () => {
    expect(services.flatMap(({ name, ports }) => ports.map((port) => ({ name, ...port })))).toEqual([
      { name: 'front-proxy', host: 6443, container: 6443 },
    ]);
    expect(text).toContain('127.0.0.1:6443:6443');
  });

  it.runIf(hasComposeClient())('is valid for docker compose', () => {
    const { status, stderr } = spawnSync('docker', ['compose', '-f', file, 'config', '-q'], {
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([0, '']);
  });
});

/** The socket of the tunnel is written by its server. */
function tunnel(name: string): string[] {
  if (name === 'konnectivity-server') return ['konnectivity:/konnectivity'];
  return ['authorization', 'core-api', 'crd-registry', 'discovery', 'front-proxy'].includes(name)
    ? ['konnectivity:/konnectivity:ro']
    : [];
}

describe('a compose file', () => {
  const service = (more: string) => `services: { a: { command: [node], ${more} } }`;

  it.each([
    ['the network of the host', service('network_mode: host'), 'a: network_mode is not supported'],
    ['a variable', service('user: "${USER}"'), 'variables in a compose file are not supported'],
    ['a volume that is not declared', service('volumes: ["x:/x"]'), 'a: there is no volume x'],
    [
      'a service that is not there',
      service('depends_on: { b: { condition: service_started } }'),
      'a: there is no service b',
    ],
    [
      'services that wait for each other',
      service('depends_on: { a: { condition: service_started } }'),
      'services wait for each other: a -> a',
    ],
  ])('is refused with %s', (_name, content, message) => {
    expect(() => readCompose(content)).toThrow(message);
  });
});

describe('addresses of this machine', () => {
  const folders = new Map([
    ['keys', '/tmp/k'],
    ['core-api-keys', '/tmp/k'],
    ['data', '/tmp/d'],
  ]);
  const addresses = new LocalAddresses(services, folders, [4, 3, 2, 1]);
  const cases: [what: string, service: string, word: string, expected: string][] = [
    ['a separate port', 'core-api', '--port=8443', '--port=1'],
    ['the same port of another service', 'discovery', '--port=8443', '--port=2'],
    ['its health endpoint', 'core-api', 'https://127.0.0.1:8443/readyz', 'https://127.0.0.1:1/readyz'],
    ['another service', 'front-proxy', 'https://discovery:8443', 'https://127.0.0.1:2'],
    ['the published port', 'core-api', '--advertise-port=6443', '--advertise-port=3'],
    ['the host', 'pki', '--server=https://127.0.0.1:6443', '--server=https://127.0.0.1:3'],
    [
      'listen addresses',
      'object-storage',
      '--listen-client-urls=https://0.0.0.0:2379',
      '--listen-client-urls=https://127.0.0.1:4',
    ],
    ['a volume', 'object-storage', '--data-dir=/data', '--data-dir=/tmp/d'],
    ['a file of a volume', 'core-api', '/keys/pki/ca.crt', '/tmp/k/pki/ca.crt'],
    [
      'other values',
      'core-api',
      '--service-cluster-ip-range=10.0.0.0/16',
      '--service-cluster-ip-range=10.0.0.0/16',
    ],
  ];
  it.each(cases)('stand for %s', (_what, service, word, expected) => {
    expect(addresses.word(find(service), word)).toBe(expected);
  });
});

/** Returns the files of `/keys` in the options of a service, sorted. */
function mentioned({ command, environment, healthcheck }: ComposeService): string[] {
  const words = [...command, ...Object.values(environment), ...(healthcheck?.command ?? [])];
  const files = words.flatMap((word) =>
    [...word.matchAll(/\/keys\/([\w./-]+)/g)].map(([, path]) => path ?? ''),
  );
  return [...new Set(files)].sort();
}

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();

function hasComposeClient(): boolean {
  if (spawnSync('docker', ['compose', 'version']).status === 0) return true;
  process.stderr.write('SKIPPED docker compose config: docker compose is not installed\n');
  return false;
}
