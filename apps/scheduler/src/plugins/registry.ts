import { ProfileError } from '../framework/create-profile.ts';
import type { DefinedPlugin } from '../framework/define-plugin.ts';
import { guardPlugin } from '../framework/guard-plugin.ts';
import type { PluginDefinition } from '../framework/plugin.ts';
import { defaultBinder } from './default-binder.ts';
import { defaultPreemption } from './default-preemption/default-preemption.ts';
import { dynamicResources } from './dynamic-resources/dynamic-resources.ts';
import { imageLocality } from './image-locality.ts';
import { interPodAffinity } from './inter-pod-affinity/inter-pod-affinity.ts';
import { nodeAffinity } from './node-affinity.ts';
import { nodeDeclaredFeatures } from './node-declared-features.ts';
import { nodeName } from './node-name.ts';
import { nodePorts } from './node-ports.ts';
import { nodeResourcesBalancedAllocation } from './node-resources/balanced-allocation.ts';
import { nodeResourcesFit } from './node-resources/fit.ts';
import { nodeUnschedulable } from './node-unschedulable.ts';
import { podTopologySpread } from './pod-topology-spread/spread.ts';
import { prioritySort } from './priority-sort.ts';
import { schedulingGates } from './scheduling-gates.ts';
import { taintToleration } from './taint-toleration.ts';
import { nodeVolumeLimits } from './volumes/node-volume-limits.ts';
import { volumeBinding } from './volumes/volume-binding.ts';
import { volumeRestrictions } from './volumes/volume-restrictions.ts';
import { volumeZone } from './volumes/volume-zone.ts';

/** The plugins of kube-scheduler. */
const defaultDefinitions: readonly PluginDefinition[] = [
  schedulingGates,
  prioritySort,
  nodeUnschedulable,
  nodeName,
  taintToleration,
  nodeAffinity,
  nodePorts,
  nodeResourcesFit,
  volumeRestrictions,
  nodeVolumeLimits,
  volumeBinding,
  volumeZone,
  podTopologySpread,
  interPodAffinity,
  dynamicResources,
  defaultPreemption,
  nodeResourcesBalancedAllocation,
  imageLocality,
  defaultBinder,
  nodeDeclaredFeatures,
];

/** Returns all plugins by name: those of kube-scheduler, and others. Throws ProfileError for a name that is used twice. */
export function pluginRegistry(others: readonly DefinedPlugin[] = []): Map<string, PluginDefinition> {
  const registry = new Map(defaultDefinitions.map((definition) => [definition.name, definition]));
  for (const definition of others) {
    if (registry.has(definition.name))
      throw new ProfileError(`a plugin named ${definition.name} already exists`);
    registry.set(definition.name, guardPlugin(definition));
  }
  return registry;
}
