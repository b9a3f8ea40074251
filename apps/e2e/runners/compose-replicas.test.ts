import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

interface Service {
  command?: string[];
  environment?: Record<string, string>;
  volumes?: string[];
  depends_on?: Record<string, unknown>;
}

const read = (path: string) =>
  readFileSync(fileURLToPath(new URL(`../../../${path}`, import.meta.url)), 'utf8');
const { services, volumes } = parse(read('deploy/replicas/compose.yaml'), { merge: true }) as {
  services: Record<string, Service>;
  volumes: Record<string, unknown>;
};
const replicas = Object.keys(services).filter((name) => name.startsWith('annex-'));
const members = Object.keys(services).filter((name) => name.startsWith('etcd-'));
const valueOf = (name: string, flag: string): string | undefined =>
  services[name]!.command?.find((word) => word.startsWith(`--${flag}=`))?.slice(flag.length + 3);

describe('deploy/replicas/compose.yaml', () => {
  it('has two replicas with the same options and keys, on three members of etcd', () => {
    expect([replicas.length, members.length]).toEqual([2, 3]);
    const [first, second] = replicas.map((name) => services[name]!);
    expect(first!.volumes).toEqual(['annex-1:/data', 'pki:/data/pki']);
    expect({ ...second, volumes: ['annex-1:/data', 'pki:/data/pki'] }).toEqual(first);
    expect(valueOf(replicas[0]!, 'etcd-servers')?.split(',')).toEqual(
      members.map((name) => `https://${name}:2379`),
    );
    expect(valueOf('pki', 'etcd-subject-alt-names')?.split(',')).toEqual(members);
  });

  it.each(members)('%s knows all members, and has a volume that no other has', (name) => {
    const { environment = {}, volumes: own = [] } = services[name]!;
    expect(environment.ETCD_NAME).toBe(name);
    expect(environment.ETCD_INITIAL_CLUSTER?.split(',')).toEqual(
      members.map((one) => `${one}=https://${one}:2380`),
    );
    expect(own).toContain(`${name}:/data`);
    expect(environment.ETCD_ADVERTISE_CLIENT_URLS).toBe(`https://${name}:2379`);
  });

  it.each([
    ['annex-1', 'options-annex-up'],
    ['pki', 'options-annex-pki'],
  ])('%s has options of the page %s', (name, page) => {
    const text = read(`docs/reference/${page}.md`);
    const flags = services[name]!.command!.filter((word) => word.startsWith('--')).map(
      (word) => word.split('=')[0],
    );
    expect(flags.length).toBeGreaterThan(3);
    expect(flags.filter((flag) => !text.includes(`\`${flag}\``))).toEqual([]);
  });

  it('has a folder in the image for each volume of Annex, with the user of the containers as its owner', () => {
    const image = read('deploy/Dockerfile');
    const mounted = ['pki', ...replicas].flatMap((name) =>
      services[name]!.volumes!.map((volume) => volume.split(':')[1]!),
    );
    // `/data/pki` is a folder of the volume `/data` then.
    const folders = [...new Set(mounted)].filter((path) => path !== '/data/pki');
    expect(folders).toEqual(['/keys', '/keys/pki', '/data']);
    for (const path of folders) expect(image).toMatch(new RegExp(`mkdir [^&]*/image${path}( |$)`, 'm'));
    expect(image).toMatch(/chown -R 1000:1000 .*\/image\/data \/image\/keys/);
  });

  it('mounts only volumes that it declares, and balances all replicas', () => {
    const mounted = Object.values(services).flatMap((one) =>
      (one.volumes ?? []).map((volume) => volume.split(':')[0]!),
    );
    const named = mounted.filter((name) => !name.startsWith('.'));
    expect([...new Set(named)].toSorted()).toEqual(Object.keys(volumes).toSorted());
    expect(services.balancer!.volumes).toEqual(['./haproxy.cfg:/usr/local/etc/haproxy/haproxy.cfg:ro']);
    const config = read('deploy/replicas/haproxy.cfg');
    for (const name of replicas) expect(config).toContain(`server ${name} ${name}:6443`);
  });
});
