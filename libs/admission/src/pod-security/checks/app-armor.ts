import { goQuote } from '@annex/machinery';
import { containersOf, type SecurityContext } from '../pod.ts';
import { type CheckPod, plural, quoted, setters, sortedSet } from './check.ts';

const prefix = 'container.apparmor.security.beta.kubernetes.io/';
const allowed = ['RuntimeDefault', 'Localhost'];

const isAllowedAnnotation = (value: string): boolean =>
  value === '' || value === 'runtime/default' || value.startsWith('localhost/');

const invalidType = (context: SecurityContext | undefined): string | undefined => {
  const profile = context?.appArmorProfile;
  return profile === undefined || allowed.includes(profile.type ?? '') ? undefined : (profile.type ?? '');
};

export const appArmorProfile: CheckPod = ({ metadata, spec }) => {
  const ofPod = invalidType(spec.securityContext);
  const ofContainers = containersOf(spec).flatMap(({ name, securityContext }) => {
    const type = invalidType(securityContext);
    return type === undefined ? [] : [{ name, type }];
  });
  const annotations = Object.entries(metadata?.annotations ?? {})
    .filter(([key, value]) => key.startsWith(prefix) && !isAllowedAnnotation(value))
    .map(([key, value]) => `${key}=${goQuote(value)}`);
  const containers = [
    ...setters(
      ofPod !== undefined,
      ofContainers.map(({ name }) => name),
    ),
    ...(annotations.length > 0 ? [plural('annotation', annotations.length)] : []),
  ];
  if (containers.length === 0) return undefined;
  const types = [...(ofPod === undefined ? [] : [ofPod]), ...ofContainers.map(({ type }) => type)];
  const values = [...sortedSet(types), ...sortedSet(annotations)];
  return {
    reason: plural('forbidden AppArmor profile', values.length),
    detail: `${containers.join(' and ')} must not set AppArmor profile type to ${quoted(values)}`,
  };
};
