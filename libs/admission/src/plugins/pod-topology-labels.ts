import { isObject } from '@annex/machinery';
import type { AdmissionPlugin, AdmissionAttributes, ServerDeps } from '@annex/server';
import { lookup } from './classes.ts';

const copied = ['topology.kubernetes.io/zone', 'topology.kubernetes.io/region'];

/**
 * Copies the topology labels of a node to the pods that are bound to it. Source: "PodTopologyLabels" of the
 * admission controllers documentation.
 */
export function podTopologyLabels(deps: ServerDeps): AdmissionPlugin {
  const nodes = lookup(deps, '/registry/minions/');
  return {
    name: 'PodTopologyLabels',
    resources: ['/pods'],
    async mutate(attributes) {
      const { object } = attributes;
      const name = nodeOf(attributes);
      if (object === undefined || name === '') return;
      const labels = (await nodes.get(name))?.metadata.labels ?? {};
      const added = Object.entries(labels).filter(([key]) => copied.includes(key));
      if (added.length === 0) return;
      object.metadata.labels = { ...object.metadata.labels, ...Object.fromEntries(added) };
    },
  };
}

/** Returns the node that a new pod or a binding names. */
function nodeOf({ operation, subresource, object }: AdmissionAttributes): string {
  if (operation !== 'CREATE') return '';
  const { spec, target } = object ?? { metadata: {} };
  if (subresource === '') return isObject(spec) ? String(spec.nodeName ?? '') : '';
  if (subresource !== 'binding' || !isObject(target)) return '';
  return target.kind === 'Node' ? String(target.name ?? '') : '';
}
