import { containersOf } from '../pod.ts';
import { type CheckPod, named, quoted, sortedSet } from './check.ts';

const byDefault = new Set([
  'AUDIT_WRITE',
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'MKNOD',
  'NET_BIND_SERVICE',
  'SETFCAP',
  'SETGID',
  'SETPCAP',
  'SETUID',
  'SYS_CHROOT',
]);

/** Returns the capabilities that containers add without permission. */
function added({ spec }: Parameters<CheckPod>[0], isAllowed: (capability: string) => boolean): string[] {
  const found = containersOf(spec).map(({ name, securityContext }) => ({
    name,
    invalid: (securityContext?.capabilities?.add ?? []).filter((capability) => !isAllowed(capability)),
  }));
  const names = found.filter(({ invalid }) => invalid.length > 0).map(({ name }) => name);
  if (names.length === 0) return [];
  const all = quoted(sortedSet(found.flatMap(({ invalid }) => invalid)));
  return [`${named('container', names)} must not include ${all} in securityContext.capabilities.add`];
}

export const defaultCapabilities: CheckPod = (pod) => {
  const [detail] = added(pod, (capability) => byDefault.has(capability));
  return detail === undefined ? undefined : { reason: 'non-default capabilities', detail };
};

export const noCapabilities: CheckPod = (pod) => {
  const kept = containersOf(pod.spec)
    .filter(({ securityContext }) => !(securityContext?.capabilities?.drop ?? []).includes('ALL'))
    .map(({ name }) => name);
  const details = [
    ...(kept.length > 0
      ? [`${named('container', kept)} must set securityContext.capabilities.drop=["ALL"]`]
      : []),
    ...added(pod, (capability) => capability === 'NET_BIND_SERVICE'),
  ];
  return details.length === 0
    ? undefined
    : { reason: 'unrestricted capabilities', detail: details.join('; ') };
};
