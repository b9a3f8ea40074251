import { describe, expect, it } from 'vitest';
import type { Level } from './levels.ts';
import type { PodLike, PodSpec } from './pod.ts';
import { violations, violationsText } from './standards.ts';

const strict: PodSpec = {
  securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
  containers: [
    {
      name: 'c',
      securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
    },
  ],
};
const plain: PodSpec = { containers: [{ name: 'c' }, { name: 'd' }] };
const text = (level: Level, version: number, spec: PodSpec, annotations?: Record<string, string>): string => {
  const pod: PodLike = { spec, ...(annotations ? { metadata: { annotations } } : {}) };
  return violationsText(violations({ level, version }, pod));
};

describe('a pod that violates the Pod Security Standards', () => {
  const cases: [string, Level, number, PodSpec, string][] = [
    ['does not exist on the level privileged', 'privileged', Infinity, { hostNetwork: true }, ''],
    ['is not a pod without settings, on the level baseline', 'baseline', Infinity, plain, ''],
    ['is not a pod that drops all privileges', 'restricted', Infinity, strict, ''],
    [
      'gets all violations together',
      'restricted',
      Infinity,
      plain,
      'allowPrivilegeEscalation != false (containers "c", "d" must set securityContext.allowPrivilegeEscalation=false), ' +
        'unrestricted capabilities (containers "c", "d" must set securityContext.capabilities.drop=["ALL"]), ' +
        'runAsNonRoot != true (pod or containers "c", "d" must set securityContext.runAsNonRoot=true), ' +
        'seccompProfile (pod or containers "c", "d" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
    ],
    [
      'gets the violations of a version',
      'restricted',
      8,
      plain,
      'allowPrivilegeEscalation != false (containers "c", "d" must set securityContext.allowPrivilegeEscalation=false), ' +
        'runAsNonRoot != true (pod or containers "c", "d" must set securityContext.runAsNonRoot=true)',
    ],
    [
      'gets one violation for a volume that both levels forbid',
      'restricted',
      Infinity,
      { ...strict, volumes: [{ name: 'v', hostPath: { path: '/' } }] },
      'restricted volume types (volume "v" uses restricted volume type "hostPath")',
    ],
    [
      'may use probes of other hosts before 1.34',
      'baseline',
      33,
      { containers: [{ name: 'c', livenessProbe: { httpGet: { host: '1.2.3.4' } } }] },
      '',
    ],
    [
      'may not use probes of other hosts since 1.34',
      'baseline',
      34,
      { containers: [{ name: 'c', livenessProbe: { httpGet: { host: '1.2.3.4' } } }] },
      'probe or lifecycle host (container "c" uses probe or lifecycle host "1.2.3.4")',
    ],
    [
      'may be root in a separate user namespace since 1.35',
      'restricted',
      35,
      {
        ...strict,
        hostUsers: false,
        securityContext: { seccompProfile: { type: 'Localhost' }, runAsUser: 0 },
      },
      '',
    ],
    [
      'gets sysctls in the order of the pod',
      'baseline',
      28,
      {
        securityContext: {
          sysctls: [
            { name: 'net.ipv4.tcp_rmem' },
            { name: 'net.ipv4.ip_local_reserved_ports' },
            { name: 'a' },
          ],
        },
      },
      'forbidden sysctls (net.ipv4.tcp_rmem, a)',
    ],
    [
      'gets capabilities sorted by name',
      'baseline',
      Infinity,
      {
        containers: [
          { name: 'c', securityContext: { capabilities: { add: ['SYS_ADMIN', 'CHOWN', 'NET_RAW'] } } },
        ],
      },
      'non-default capabilities (container "c" must not include "NET_RAW", "SYS_ADMIN" in securityContext.capabilities.add)',
    ],
  ];
  it.each(cases)('%s', (_, level, version, spec, message) => {
    expect(text(level, version, spec)).toBe(message);
  });

  it('gets the violations of its annotations', () => {
    const annotations = { 'container.apparmor.security.beta.kubernetes.io/c': 'unconfined' };
    expect(text('baseline', Infinity, plain, annotations)).toBe(
      'forbidden AppArmor profile (annotation must not set AppArmor profile type to ' +
        '"container.apparmor.security.beta.kubernetes.io/c="unconfined"")',
    );
    expect(
      text('baseline', 18, plain, { 'seccomp.security.alpha.kubernetes.io/pod': 'unconfined' }),
    ).toContain('forbidden annotation seccomp.security.alpha.kubernetes.io/pod="unconfined"');
  });
});
