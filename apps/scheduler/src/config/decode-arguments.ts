import {
  ConfigurationError,
  configurationStruct as struct,
  configurationTypeText,
  readConfigurationStruct,
} from '@annex/auth';
import { isObject, type JsonValue } from '@annex/machinery';
import { durationMs } from './durations.ts';
import { argumentFields, strictFields } from './shapes.ts';
import type { ResourceSpec } from './types.ts';

/** The arguments of a plugin with defaults, and the errors of strict decoding. */
export interface DecodedArguments {
  args: unknown;
  strictErrors: readonly string[];
}

/** Names of the plugins that have arguments. */
export const pluginsWithArguments: readonly string[] = [...argumentFields.keys()].toSorted();

const argumentsVersion = 'kubescheduler.config.k8s.io/v1';
const argumentKinds = new Set(pluginsWithArguments.map((name) => `${name}Args`));

/** Decodes the arguments of a plugin. Those of other plugins are returned unchanged. Throws `ConfigurationError`. */
export function decodeArguments(name: string, sent: JsonValue | undefined): DecodedArguments {
  const fields = argumentFields.get(name);
  if (fields === undefined) return { args: sent, strictErrors: [] };
  if (sent !== undefined && sent !== null && !isObject(sent))
    throw new ConfigurationError(configurationTypeText(sent));
  const { apiVersion = argumentsVersion, kind = `${name}Args`, ...rest } = sent ?? {};
  if (String(apiVersion).split('/').length > 2)
    throw new ConfigurationError(`unexpected GroupVersion string: ${String(apiVersion)}`);
  if (apiVersion !== argumentsVersion || !argumentKinds.has(String(kind)))
    throw new ConfigurationError(
      `no kind "${String(kind)}" is registered for version "${String(apiVersion)}" in scheme "pkg/runtime/scheme.go:111"`,
    );
  if (kind !== `${name}Args`)
    throw new ConfigurationError(
      `args for plugin ${name} were not of type ${name}Args.kubescheduler.config.k8s.io, got ${String(kind)}.kubescheduler.config.k8s.io`,
    );
  const { value, unknown } = readConfigurationStruct(struct(`${name}Args`, fields), rest, 'v1');
  const { unknown: nested } = readConfigurationStruct(
    struct(`${name}Args`, { ...fields, ...strictFields.get(name) }),
    rest,
    'v1',
  );
  return { args: withDefaults(name, value), strictErrors: nested.length > unknown.length ? nested : unknown };
}

type Sent = Readonly<Record<string, unknown>>;

const defaultResources: readonly ResourceSpec[] = [
  { name: 'cpu', weight: 1 },
  { name: 'memory', weight: 1 },
];

const withWeights = (resources: readonly Partial<ResourceSpec>[]): readonly ResourceSpec[] =>
  resources.length === 0
    ? defaultResources
    : resources.map(({ name = '', weight }) => ({ name, weight: weight || 1 }));

const complete: ReadonlyMap<string, (sent: Sent) => unknown> = new Map(
  Object.entries<(sent: Sent) => unknown>({
    NodeResourcesFit: ({ scoringStrategy, ...rest }) => ({
      ...rest,
      scoringStrategy: strategyOf(scoringStrategy as Sent),
    }),
    NodeResourcesBalancedAllocation: ({ resources }) => ({
      resources: withWeights(resources as ResourceSpec[]),
    }),
    InterPodAffinity: (sent) => ({ ...sent, hardPodAffinityWeight: sent.hardPodAffinityWeight ?? 1 }),
    DefaultPreemption: (sent) => ({
      minCandidateNodesPercentage: sent.minCandidateNodesPercentage ?? 10,
      minCandidateNodesAbsolute: sent.minCandidateNodesAbsolute ?? 100,
    }),
    PodTopologySpread: (sent) => ({ ...sent, defaultingType: sent.defaultingType || 'System' }),
    VolumeBinding: (sent) => ({ ...sent, bindTimeoutSeconds: sent.bindTimeoutSeconds ?? 600 }),
    DynamicResources: ({ filterTimeout, bindingTimeout }) => ({
      filterTimeoutMs: durationMs(filterTimeout as string | undefined, 10_000),
      bindingTimeoutMs: durationMs(bindingTimeout as string | undefined, 600_000),
    }),
  }),
);

const strategyOf = (sent: Sent | undefined) =>
  sent === undefined
    ? { type: 'LeastAllocated', resources: defaultResources }
    : { ...sent, resources: withWeights(sent.resources as ResourceSpec[]) };

const withDefaults = (name: string, sent: Sent): unknown => complete.get(name)?.(sent) ?? sent;
