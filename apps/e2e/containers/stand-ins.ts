import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { tempFolder } from '@annex/testkit';
import { makeDebianImage, run } from './debian-image.ts';
import { podman } from './podman.ts';

const etcdSource = fileURLToPath(new URL('../../../conformance/reference/etcd', import.meta.url));

/** Makes images with the programs of other images, by the names of these. */
export const standIns: readonly [pattern: RegExp, make: () => Promise<string>][] = [
  [/\/etcd:v/, makeEtcdImage],
  [/\/haproxy:/, makeHaproxyImage],
];

/** As etcd's own image: nothing but the programs. The version is that of `conformance/reference`. */
async function makeEtcdImage(): Promise<string> {
  const name = 'localhost/annex-etcd';
  using folder = tempFolder('annex-etcd-image-');
  const build = (program: string, source: string) =>
    run('env', 'CGO_ENABLED=0', 'go', '-C', etcdSource, 'build', '-o', join(folder.path, program), source);
  await build('etcd', '.');
  await build('etcdctl', './etcdctl');
  writeFileSync(
    join(folder.path, 'Dockerfile'),
    'FROM scratch\nENV PATH=/usr/local/bin\nCOPY etcd etcdctl /usr/local/bin/\nCMD ["etcd"]\n',
  );
  await podman('build', '--quiet', `--tag=${name}`, folder.path);
  return name;
}

/** With the command of the image `haproxy`. */
function makeHaproxyImage(): Promise<string> {
  return makeDebianImage('localhost/annex-haproxy', {
    packages: ['haproxy'],
    command: ['haproxy', '-f', '/usr/local/etc/haproxy/haproxy.cfg'],
  });
}
