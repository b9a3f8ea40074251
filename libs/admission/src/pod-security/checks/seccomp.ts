import { getOwn, goQuote } from '@annex/machinery';
import { containersOf, type PodLike, type SecurityContext } from '../pod.ts';
import { type CheckPod, named, plural, quoted, setters, sortedSet, type Violation } from './check.ts';

const podAnnotation = 'seccomp.security.alpha.kubernetes.io/pod';
const containerAnnotation = 'container.seccomp.security.alpha.kubernetes.io/';
const allowedAnnotations = ['runtime/default', 'docker/default'];
const allowedTypes = ['RuntimeDefault', 'Localhost'];
const reason = 'seccompProfile';

/** Until 1.18, annotations named the profiles. */
export const seccompAnnotations: CheckPod = ({ metadata, spec }) => {
  const annotations = metadata?.annotations ?? {};
  const keys = [podAnnotation, ...containersOf(spec).map(({ name }) => containerAnnotation + name)];
  const invalid = keys.flatMap((key) => {
    const value = getOwn(annotations, key) ?? 'localhost/';
    const isAllowed = allowedAnnotations.includes(value) || value.startsWith('localhost/');
    return isAllowed ? [] : [`${key}=${goQuote(value)}`];
  });
  const all = sortedSet(invalid);
  return all.length === 0
    ? undefined
    : { reason, detail: `forbidden ${plural('annotation', all.length)} ${all.join(', ')}` };
};

const invalidType = (context: SecurityContext | undefined): string | undefined => {
  const profile = context?.seccompProfile;
  return profile === undefined || allowedTypes.includes(profile.type ?? '')
    ? undefined
    : (profile.type ?? '');
};

export const seccompTypes: CheckPod = ({ spec }): Violation | undefined => {
  const ofPod = invalidType(spec.securityContext);
  const invalid = containersOf(spec).flatMap(({ name, securityContext }) => {
    const type = invalidType(securityContext);
    return type === undefined ? [] : [{ name, type }];
  });
  const setBy = setters(
    ofPod !== undefined,
    invalid.map(({ name }) => name),
  );
  if (setBy.length === 0) return undefined;
  const types = [...(ofPod === undefined ? [] : [ofPod]), ...invalid.map(({ type }) => type)];
  const forbidden = quoted(sortedSet(types));
  return {
    reason,
    detail: `${setBy.join(' and ')} must not set securityContext.seccompProfile.type to ${forbidden}`,
  };
};

export const seccompProfile: CheckPod = (pod) => seccompTypes(pod) ?? unsetProfile(pod);

function unsetProfile({ spec }: PodLike): Violation | undefined {
  if (spec.securityContext?.seccompProfile !== undefined) return undefined;
  const containers = containersOf(spec)
    .filter(({ securityContext }) => securityContext?.seccompProfile === undefined)
    .map(({ name }) => name);
  if (containers.length === 0) return undefined;
  const must = 'must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"';
  return { reason, detail: `pod or ${named('container', containers)} ${must}` };
}
