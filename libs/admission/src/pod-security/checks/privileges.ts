import { containersOf } from '../pod.ts';
import { type CheckPod, named, quoted, setters, sortedSet } from './check.ts';

export const privileged: CheckPod = ({ spec }) => {
  const names = containersOf(spec)
    .filter(({ securityContext }) => securityContext?.privileged === true)
    .map(({ name }) => name);
  return names.length === 0
    ? undefined
    : {
        reason: 'privileged',
        detail: `${named('container', names)} must not set securityContext.privileged=true`,
      };
};

export const privilegeEscalation: CheckPod = ({ spec }) => {
  const names = containersOf(spec)
    .filter(({ securityContext }) => securityContext?.allowPrivilegeEscalation !== false)
    .map(({ name }) => name);
  return names.length === 0
    ? undefined
    : {
        reason: 'allowPrivilegeEscalation != false',
        detail: `${named('container', names)} must set securityContext.allowPrivilegeEscalation=false`,
      };
};

export const procMount: CheckPod = ({ spec }) => {
  const invalid = containersOf(spec).flatMap(({ name, securityContext }) => {
    const type = securityContext?.procMount ?? 'Default';
    return type === 'Default' ? [] : [{ name, type }];
  });
  if (invalid.length === 0) return undefined;
  const containers = named(
    'container',
    invalid.map(({ name }) => name),
  );
  const types = quoted(sortedSet(invalid.map(({ type }) => type)));
  return { reason: 'procMount', detail: `${containers} must not set securityContext.procMount to ${types}` };
};

export const windowsHostProcess: CheckPod = ({ spec }) => {
  const containers = containersOf(spec)
    .filter(({ securityContext }) => securityContext?.windowsOptions?.hostProcess === true)
    .map(({ name }) => name);
  const setBy = setters(spec.securityContext?.windowsOptions?.hostProcess === true, containers);
  return setBy.length === 0
    ? undefined
    : {
        reason: 'hostProcess',
        detail: `${setBy.join(' and ')} must not set securityContext.windowsOptions.hostProcess=true`,
      };
};
