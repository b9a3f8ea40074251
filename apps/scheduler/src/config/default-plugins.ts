import type { PluginReference, PluginSet, PluginSetName } from './types.ts';

/** The plugins of a profile without configuration, in the order in which every extension point runs them. */
const defaultPlugins: readonly PluginReference[] = [
  { name: 'SchedulingGates', weight: 0 },
  { name: 'PrioritySort', weight: 0 },
  { name: 'NodeUnschedulable', weight: 0 },
  { name: 'NodeName', weight: 0 },
  { name: 'TaintToleration', weight: 3 },
  { name: 'NodeAffinity', weight: 2 },
  { name: 'NodePorts', weight: 0 },
  { name: 'NodeResourcesFit', weight: 1 },
  { name: 'VolumeRestrictions', weight: 0 },
  { name: 'NodeVolumeLimits', weight: 0 },
  { name: 'VolumeBinding', weight: 0 },
  { name: 'VolumeZone', weight: 0 },
  { name: 'PodTopologySpread', weight: 2 },
  { name: 'InterPodAffinity', weight: 2 },
  { name: 'DynamicResources', weight: 2 },
  { name: 'DefaultPreemption', weight: 0 },
  { name: 'NodeResourcesBalancedAllocation', weight: 1 },
  { name: 'ImageLocality', weight: 1 },
  { name: 'DefaultBinder', weight: 0 },
  { name: 'NodeDeclaredFeatures', weight: 0 },
];

const none: PluginSet = { enabled: [], disabled: [] };

/** Merges the plugins of a profile with the defaults, which stand in `multiPoint`. */
export function mergePlugins(
  sent: ReadonlyMap<PluginSetName, PluginSet>,
): ReadonlyMap<PluginSetName, PluginSet> {
  const merged = new Map(sent);
  merged.set('multiPoint', mergeSet(defaultPlugins, sent.get('multiPoint') ?? none));
  return merged;
}

/** A default plugin that is configured again keeps its place; other plugins follow the defaults. */
function mergeSet(defaults: readonly PluginReference[], { enabled, disabled }: PluginSet): PluginSet {
  const off = new Set(disabled.map(({ name }) => name));
  const placed = new Set<number>();
  const list: PluginReference[] = [];
  for (const one of off.has('*') ? [] : defaults) {
    if (off.has(one.name)) continue;
    const index = enabled.findLastIndex(({ name }) => name === one.name);
    if (index >= 0) placed.add(index);
    list.push(enabled[index] ?? one);
  }
  return { enabled: [...list, ...enabled.filter((_, i) => !placed.has(i))], disabled };
}
