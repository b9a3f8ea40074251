import { expect, it } from 'vitest';
import type { PodSpec } from './pod.ts';
import { mountToken } from './token-volume.ts';

const place = '/var/run/secrets/kubernetes.io/serviceaccount';
const mount = { name: 'kube-api-access-x', readOnly: true, mountPath: place };

const mounted = (spec: PodSpec): PodSpec => {
  mountToken(spec, (prefix) => `${prefix}x`);
  return spec;
};

it('a token is mounted into all containers from one projected volume', () => {
  const { containers, initContainers, volumes } = mounted({
    initContainers: [{ name: 'i' }],
    containers: [{ name: 'c', volumeMounts: [{ name: 'v', mountPath: '/v' }] }],
  });
  expect(initContainers).toEqual([{ name: 'i', volumeMounts: [mount] }]);
  expect(containers?.[0]?.volumeMounts).toEqual([{ name: 'v', mountPath: '/v' }, mount]);
  expect(volumes?.map(({ name }) => name)).toEqual(['kube-api-access-x']);
  const again = mounted({ containers, volumes });
  expect(again.containers).toEqual(containers);
  expect(again.volumes).toHaveLength(1);
});

it('a container with a mount at the path of the token keeps it, and no unused volume is added', () => {
  const own = { name: 'own', mountPath: place };
  expect(mounted({ containers: [{ name: 'c', volumeMounts: [own] }] })).toEqual({
    containers: [{ name: 'c', volumeMounts: [own] }],
  });
});

it('an existing volume with the name prefix is used for the token', () => {
  const spec = mounted({ containers: [{ name: 'c' }], volumes: [{ name: 'kube-api-access-own' }] });
  expect(spec.containers?.[0]?.volumeMounts).toEqual([{ ...mount, name: 'kube-api-access-own' }]);
  expect(spec.volumes).toHaveLength(1);
});
