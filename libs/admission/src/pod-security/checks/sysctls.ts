import type { CheckPod } from './check.ts';

/** The allowed sysctls; each list contains those that a version of Kubernetes added. */
const since: readonly (readonly [number, readonly string[]])[] = [
  [
    0,
    [
      'kernel.shm_rmid_forced',
      'net.ipv4.ip_local_port_range',
      'net.ipv4.tcp_syncookies',
      'net.ipv4.ping_group_range',
      'net.ipv4.ip_unprivileged_port_start',
    ],
  ],
  [27, ['net.ipv4.ip_local_reserved_ports']],
  [
    29,
    [
      'net.ipv4.tcp_keepalive_time',
      'net.ipv4.tcp_fin_timeout',
      'net.ipv4.tcp_keepalive_intvl',
      'net.ipv4.tcp_keepalive_probes',
    ],
  ],
  [32, ['net.ipv4.tcp_rmem', 'net.ipv4.tcp_wmem']],
];

/** Returns the check of sysctls for a version of Kubernetes. */
export function sysctls(version: number): CheckPod {
  const allowed = new Set(since.filter(([from]) => from <= version).flatMap(([, names]) => names));
  return ({ spec }) => {
    const names = (spec.securityContext?.sysctls ?? []).map(({ name = '' }) => name);
    const invalid = names.filter((name) => !allowed.has(name));
    return invalid.length === 0 ? undefined : { reason: 'forbidden sysctls', detail: invalid.join(', ') };
  };
}
