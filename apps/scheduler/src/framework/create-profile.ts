import type { PluginReference, PluginSet, ProfileConfig } from '../config/types.ts';
import {
  type ExtensionPoint,
  type ExtensionPointName,
  extendsPoint,
  extensionPoints,
} from './extension-points.ts';
import type { Handle } from './handle.ts';
import type { Plugin, PluginDefinition } from './plugin.ts';
import { Profile } from './profile.ts';

/** A profile that cannot be created; the message is kube-scheduler's. */
export class ProfileError extends Error {}

const none: PluginSet = { enabled: [], disabled: [] };

/** Creates a profile with its plugins. Throws {@link ProfileError}. */
export function createProfile(
  config: ProfileConfig,
  registry: ReadonlyMap<string, PluginDefinition>,
  handle: Handle,
): Profile {
  try {
    return build(config, registry, handle);
  } catch (error) {
    if (!(error instanceof ProfileError)) throw error;
    throw new ProfileError(
      `initializing profiles: creating profile for scheduler name ${config.schedulerName}: ${error.message}`,
    );
  }
}

function build(
  config: ProfileConfig,
  registry: ReadonlyMap<string, PluginDefinition>,
  handle: Handle,
): Profile {
  const created = createPlugins(config, registry, handle);
  const lists = new Map<ExtensionPointName, readonly Plugin[]>();
  for (const point of extensionPoints)
    lists.set(point.name, ownPlugins(point, setOf(config, point.name), created));
  const shared = setOf(config, 'multiPoint').enabled;
  if (shared.length > 0)
    for (const point of extensionPoints)
      lists.set(point.name, expand(point, setOf(config, point.name), shared, created));
  const named = `profile with scheduler name "${config.schedulerName}"`;
  const sorts = lists.get('queueSort')?.length ?? 0;
  if (sorts !== 1)
    throw new ProfileError(`only one queue sort plugin required for ${named}, but got ${sorts}`);
  if (lists.get('bind')?.length === 0)
    throw new ProfileError(`at least one bind plugin is needed for ${named}`);
  return new Profile(config, lists, weightsOf([...setOf(config, 'score').enabled, ...shared]), handle);
}

const setOf = ({ plugins }: ProfileConfig, name: ExtensionPointName | 'multiPoint'): PluginSet =>
  plugins.get(name) ?? none;

/** Creates every plugin that is enabled anywhere; names without a plugin are reported where they are enabled. */
function createPlugins(
  { plugins, pluginConfig }: ProfileConfig,
  registry: ReadonlyMap<string, PluginDefinition>,
  handle: Handle,
): Map<string, Plugin> {
  const needed = new Set([...plugins.values()].flatMap(({ enabled }) => enabled.map(({ name }) => name)));
  const created = new Map<string, Plugin>();
  for (const name of needed) {
    const definition = registry.get(name);
    if (definition === undefined) continue;
    try {
      created.set(name, definition.create(pluginConfig.find((one) => one.name === name)?.args, handle));
    } catch (error) {
      throw new ProfileError(`initializing plugin "${name}": ${(error as Error).message}`);
    }
  }
  return created;
}

/** Returns the plugins that are enabled at one point by name. */
function ownPlugins(
  point: ExtensionPoint,
  { enabled }: PluginSet,
  created: ReadonlyMap<string, Plugin>,
): readonly Plugin[] {
  const list: Plugin[] = [];
  for (const { name } of enabled) {
    const plugin = created.get(name);
    if (plugin === undefined) throw new ProfileError(`${point.type} "${name}" does not exist`);
    if (!extendsPoint(plugin, point))
      throw new ProfileError(`plugin "${name}" does not extend ${point.type} plugin`);
    if (list.includes(plugin))
      throw new ProfileError(`plugin "${name}" already registered as "${point.type}"`);
    list.push(plugin);
  }
  return list;
}

/**
 * Adds the plugins of `multiPoint` that implement the point. Plugins that are in both lists come first, in the order of the point; then those
 * of `multiPoint`; then the others of the point.
 */
function expand(
  point: ExtensionPoint,
  { enabled, disabled }: PluginSet,
  shared: readonly PluginReference[],
  created: ReadonlyMap<string, Plugin>,
): readonly Plugin[] {
  const own = new Set(enabled.map(({ name }) => name));
  const off = new Set(disabled.map(({ name }) => name));
  const plugin = (name: string): Plugin => {
    const found = created.get(name);
    if (found === undefined) throw new ProfileError(`${point.type} "${name}" does not exist`);
    return found;
  };
  if (off.has('*')) return [...own].map(plugin);
  const overridden = new Set<string>();
  const added = new Set<string>();
  for (const { name } of shared) {
    if (!extendsPoint(plugin(name), point) || off.has(name)) continue;
    if (own.has(name)) overridden.add(name);
    else if (added.has(name))
      throw new ProfileError(`plugin "${name}" already registered as "${point.type}"`);
    else added.add(name);
  }
  const rest = [...own].filter((name) => !overridden.has(name));
  return [...[...own].filter((name) => overridden.has(name)), ...added, ...rest].map(plugin);
}

const maxNodeScore = 100n;
const maxTotalScore = 2n ** 63n - 1n;

/** The first reference to a plugin decides its weight. Throws ProfileError for weights that kube-scheduler refuses: negative ones. */
function weightsOf(references: readonly PluginReference[]): Map<string, number> {
  const weights = new Map<string, number>();
  let total = 0n;
  for (const { name, weight } of references) {
    if (weights.has(name)) continue;
    const score = BigInt(weight || 1) * maxNodeScore;
    // The difference overflows after a negative weight.
    if (score > BigInt.asIntN(64, maxTotalScore - total))
      throw new ProfileError('score plugins: total score of Score plugins could overflow');
    total += score;
    weights.set(name, weight || 1);
  }
  return weights;
}
