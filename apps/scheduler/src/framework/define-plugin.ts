import { fieldErrorText, FieldPath, type JsonObject, type JsonValue } from '@annex/machinery';
import { checkStructural, compileStructural } from '@annex/schema';
import type { Schema, ValueOf } from '@annex/sdk';
import type { NodeInfo } from '../objects/node-info.ts';
import type { PodInfo } from '../objects/pod-info.ts';
import type { Cycle } from './cycle.ts';
import type { Plugin, PreFilterResult, PreScoreResult } from './plugin.ts';
import type { PluginHandle } from './plugin-handle.ts';

/** The functions of a plugin. */
export interface PluginFunctions extends Omit<Plugin, 'name' | 'preFilter' | 'preScore'> {
  /** Computes what the filter needs. */
  preFilter?(cycle: Cycle, pod: PodInfo): PreFilterResult;
  /** Computes what the scores need. */
  preScore?(cycle: Cycle, pod: PodInfo, nodes: readonly NodeInfo[]): PreScoreResult;
}

/** A plugin that {@link definePlugin} made. */
export interface DefinedPlugin {
  readonly name: string;
  /** Creates the plugin of one profile. Throws an Error for invalid arguments. */
  create(args: unknown, handle: PluginHandle): PluginFunctions;
}

/** What {@link definePlugin} needs. */
export interface PluginOptions<S extends Schema> {
  /** The name in configurations and messages. It differs from those of kube-scheduler's plugins. */
  name: string;
  /** The schema of the arguments in `pluginConfig`: a structural OpenAPI v3 schema of the type object. Without it there are no arguments. */
  args?: S;
  /** Creates the functions of the plugin, once for each profile. `args` are valid and have the defaults of the schema. */
  create(args: ValueOf<S>, handle: PluginHandle): PluginFunctions;
}

/**
 * Defines a plugin. A module that `annex scheduler --plugin` names exports it, or `startScheduler` gets it. Throws an Error that lists all
 * errors of the name and the schema.
 *
 * @example
 * export const evenNodes = definePlugin({
 *   name: 'EvenNodes',
 *   create: () => ({
 *     filter: (_cycle, _pod, node) => (/[02468]$/.test(node.name) ? undefined : unschedulable('node(s) were odd')),
 *   }),
 * });
 */
export function definePlugin<const S extends Schema = { type: 'object' }>({
  name,
  args: schema,
  create,
}: PluginOptions<S>): DefinedPlugin {
  const argumentsOf = argumentsReader((schema ?? { type: 'object' }) as JsonObject, name);
  return { name, create: (sent, handle) => create(argumentsOf(sent) as ValueOf<S>, handle) };
}

/** Compiles a schema. The function validates arguments, and returns them with defaults. */
function argumentsReader(schema: JsonObject, name: string): (sent: unknown) => JsonObject {
  const errors = [
    ...(name === '' || name === '*' ? [`name: ${JSON.stringify(name)} is invalid`] : []),
    ...(schema.type === 'object' ? [] : ['args.type: must be object']),
    ...checkStructural(schema, FieldPath.of('args')).map(fieldErrorText),
  ];
  if (errors.length > 0) throw new Error(`plugin ${name}: ${errors.join(', ')}`);
  const compiled = compileStructural({ type: 'object', properties: { args: schema } });
  const isNamed = (field: string) => Object.hasOwn((schema.properties ?? {}) as JsonObject, field);
  return (sent) => {
    const args = structuredClone((sent ?? {}) as JsonObject);
    // kube-scheduler's own arguments have a type; it is accepted for others as well.
    for (const field of ['apiVersion', 'kind']) if (!isNamed(field)) delete args[field];
    const object: { args: JsonValue } = { args };
    compiled.applyDefaults(object);
    const invalid = compiled.validate(object).map(fieldErrorText);
    const unknown = compiled.prune(object).map((path) => `unknown field "${path}"`);
    if (invalid.length + unknown.length > 0) throw new Error([...invalid, ...unknown].join(', '));
    return object.args as JsonObject;
  };
}
