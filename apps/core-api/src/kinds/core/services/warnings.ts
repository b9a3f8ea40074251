import { isObject, type JsonObject } from '@annex/machinery';
import type { Warnings } from '../../shared/warnings.ts';

const topologyHints = 'service.kubernetes.io/topology-aware-hints';

/** Warns about fields of a Service that have no effect. */
export const serviceWarnings: Warnings = ({ metadata, spec: provided }) => {
  const spec: JsonObject = isObject(provided) ? provided : {};
  const external = Array.isArray(spec.externalIPs) && spec.externalIPs.length > 0;
  const headless = spec.type === 'ClusterIP' && spec.clusterIP === 'None';
  const named = spec.type === 'ExternalName';
  const affinity = (spec.sessionAffinity ?? 'None') !== 'None';
  const closeBy = spec.trafficDistribution === 'PreferClose';
  const texts: [boolean, string][] = [
    [
      metadata.annotations?.[topologyHints] !== undefined,
      `annotation ${topologyHints} is deprecated, please use service.kubernetes.io/topology-mode instead`,
    ],
    [headless && Boolean(spec.loadBalancerIP), 'spec.loadBalancerIP is ignored for headless services'],
    [headless && external, 'spec.externalIPs is ignored for headless services'],
    [headless && affinity, 'spec.SessionAffinity is ignored for headless services'],
    [
      external && !headless && !named,
      'spec.externalIPs is deprecated and may no longer be implemented in some clusters',
    ],
    [named && external, 'spec.externalIPs is ignored when spec.type is "ExternalName"'],
    [
      !named && Boolean(spec.externalName),
      'spec.externalName is ignored when spec.type is not "ExternalName"',
    ],
    [closeBy, 'spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"'],
  ];
  return texts.flatMap(([holds, text]) => (holds ? [text] : []));
};
