import type { JsonObject } from '@annex/machinery';
import type { Container, PodSpec } from './pod.ts';

const volumePrefix = 'kube-api-access-';
const mountPath = '/var/run/secrets/kubernetes.io/serviceaccount';
/** One hour plus seven seconds; the difference identifies tokens that this plugin added. */
const expirationSeconds = 3607;

/** The volume at the path where in-cluster clients read their credentials. */
const projected = (): JsonObject => ({
  defaultMode: 0o644,
  sources: [
    { serviceAccountToken: { path: 'token', expirationSeconds } },
    { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
    {
      downwardAPI: {
        items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
      },
    },
  ],
});

/** Mounts a token into all containers that mount nothing at its path. */
export function mountToken(spec: PodSpec, generateName: (prefix: string) => string): void {
  const volumes = spec.volumes ?? [];
  const own = volumes.find(({ name }) => name.startsWith(volumePrefix))?.name;
  const name = own ?? generateName(volumePrefix);
  const mounted = (list: Container[]): Container[] =>
    list.map((container) => {
      const mounts = container.volumeMounts ?? [];
      if (mounts.some((mount) => mount.mountPath === mountPath)) return container;
      return { ...container, volumeMounts: [...mounts, { name, readOnly: true, mountPath }] };
    });
  let isNeeded = false;
  for (const field of ['initContainers', 'containers'] as const) {
    const before = spec[field] ?? [];
    const after = mounted(before);
    if (after.every((container, i) => container === before[i])) continue;
    spec[field] = after;
    isNeeded = true;
  }
  if (isNeeded && own === undefined) spec.volumes = [...volumes, { name, projected: projected() as never }];
}
