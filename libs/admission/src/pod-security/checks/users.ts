import { containersOf } from '../pod.ts';
import { type CheckPod, named, setters } from './check.ts';

export const runAsNonRoot: CheckPod = ({ spec }) => {
  const ofPod = spec.securityContext?.runAsNonRoot;
  const containers = containersOf(spec);
  const whose = (value: boolean | undefined) =>
    containers
      .filter(({ securityContext }) => securityContext?.runAsNonRoot === value)
      .map(({ name }) => name);
  const reason = 'runAsNonRoot != true';
  const setBy = setters(ofPod === false, whose(false));
  if (setBy.length > 0) {
    return { reason, detail: `${setBy.join(' and ')} must not set securityContext.runAsNonRoot=false` };
  }
  const silent = ofPod === true ? [] : whose(undefined);
  return silent.length === 0
    ? undefined
    : { reason, detail: `pod or ${named('container', silent)} must set securityContext.runAsNonRoot=true` };
};

export const runAsUser: CheckPod = ({ spec }) => {
  const containers = containersOf(spec)
    .filter(({ securityContext }) => securityContext?.runAsUser === 0)
    .map(({ name }) => name);
  const setBy = setters(spec.securityContext?.runAsUser === 0, containers);
  return setBy.length === 0
    ? undefined
    : { reason: 'runAsUser=0', detail: `${setBy.join(' and ')} must not set runAsUser=0` };
};
