import { type Default, setAbsent, type TypeDefaults } from '@annex/kinds';
import { isObject, type JsonObject } from '@annex/machinery';
import { podSpecDefaults } from '../../shared/pod-spec/defaults.ts';
import { objectsOf } from '../../shared/checks.ts';
import { firstOf } from '../shared/first-of.ts';

const podIps = firstOf(
  'podIP',
  'podIPs',
  (ip) => ({ ip }),
  (item) => (isObject(item) ? (item.ip ?? '') : ''),
);

const pod: Default = (value) => {
  if (!isObject(value.spec)) return;
  const spec = value.spec;
  const containers = [...objectsOf(spec.containers), ...objectsOf(spec.initContainers)];
  for (const { resources } of containers) {
    if (!isObject(resources) || !isObject(resources.limits)) continue;
    setAbsent(resources, { requests: {} });
    setAbsent(resources.requests as JsonObject, resources.limits);
  }
  setAbsent(spec, { enableServiceLinks: true });
  if (spec.hostNetwork !== true) return;
  for (const port of containers.flatMap((c) => objectsOf(c.ports)))
    setAbsent(port, { hostPort: port.containerPort ?? 0 });
};

export const podDefaults: TypeDefaults = {
  ...podSpecDefaults,
  'io.k8s.api.core.v1.ContainerStateRunning': { startedAt: null },
  'io.k8s.api.core.v1.ContainerStateTerminated': { startedAt: null, finishedAt: null },
  'io.k8s.api.core.v1.Pod': pod,
  'io.k8s.api.core.v1.PodCondition': { lastProbeTime: null, lastTransitionTime: null },
  'io.k8s.api.core.v1.PodStatus': podIps,
};
