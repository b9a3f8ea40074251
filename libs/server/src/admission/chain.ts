import { type KindRegistry, type ResourceKind, traceAdmission } from '@annex/kinds';
import type { AdmissionPlugin, AdmissionAttributes } from './plugin.ts';

/** Returns the other versions in which a resource is served. */
export const equivalentsOf = (kind: ResourceKind, kinds: KindRegistry): ResourceKind[] =>
  [...kinds.kinds()].filter((other) => other !== kind && other.storage?.prefix === kind.storage?.prefix);

/** A plugin and its method for one phase. */
interface PluginCall {
  plugin: string;
  pass(attributes: AdmissionAttributes): void | Promise<void>;
}

/** The plugins that handle a kind, in order, by phase. */
interface KindPlugins {
  mutate: readonly PluginCall[];
  validate: readonly PluginCall[];
}

/** The admission plugins of an app, in order. A phase that finishes synchronously returns no promise. */
export class AdmissionChain {
  readonly #plugins: readonly AdmissionPlugin[];
  readonly #kinds: KindRegistry;
  // Most plugins handle few kinds. The plugins of a kind are selected once.
  readonly #known = new WeakMap<ResourceKind, KindPlugins>();
  /** See {@link equivalents}; until the kinds change. */
  #equivalents = new WeakMap<ResourceKind, readonly ResourceKind[]>();

  constructor(plugins: readonly AdmissionPlugin[], kinds: KindRegistry) {
    this.#plugins = plugins;
    this.#kinds = kinds;
    kinds.onChange(() => (this.#equivalents = new WeakMap()));
  }

  /** Returns the other versions in which a resource is served. */
  equivalents(kind: ResourceKind): readonly ResourceKind[] {
    let equivalents = this.#equivalents.get(kind);
    if (equivalents === undefined)
      this.#equivalents.set(kind, (equivalents = equivalentsOf(kind, this.#kinds)));
    return equivalents;
  }

  /** Runs every mutating plugin; a second time if a plugin requests reinvocation. */
  mutate(attributes: AdmissionAttributes): Promise<void> | void {
    const calls = this.#of(attributes.kind).mutate;
    const first = passAll(calls, attributes);
    return first ? first.then(() => mutateAgain(calls, attributes)) : mutateAgain(calls, attributes);
  }

  /** Runs every validating plugin. */
  validate(attributes: AdmissionAttributes): Promise<void> | void {
    return passAll(this.#of(attributes.kind).validate, attributes);
  }

  #of(kind: ResourceKind): KindPlugins {
    let calls = this.#known.get(kind);
    if (calls === undefined) {
      const resource = `${kind.group}/${kind.resource}`;
      const plugins = this.#plugins.filter(({ resources }) => resources?.includes(resource) ?? true);
      calls = { mutate: callsOf(plugins, 'mutate'), validate: callsOf(plugins, 'validate') };
      this.#known.set(kind, calls);
    }
    return calls;
  }
}

const callsOf = (plugins: readonly AdmissionPlugin[], what: 'mutate' | 'validate'): PluginCall[] =>
  plugins.flatMap((plugin) => {
    const pass = plugin[what]?.bind(plugin);
    return pass ? [{ plugin: plugin.name, pass }] : [];
  });

function mutateAgain(calls: readonly PluginCall[], attributes: AdmissionAttributes): Promise<void> | void {
  if (!attributes.reinvocation.requested) return;
  attributes.reinvocation.again = true;
  return passAll(calls, attributes);
}

/** Calls the plugins one after the other. */
function passAll(
  calls: readonly PluginCall[],
  attributes: AdmissionAttributes,
  from = 0,
): Promise<void> | void {
  for (let at = from; at < calls.length; at++) {
    const call = calls[at] as PluginCall;
    let done;
    try {
      done = call.pass(attributes);
    } catch (error) {
      throw traceRefused(error, call, attributes);
    }
    if (done !== undefined)
      return passed(done, call, attributes).then(() => passAll(calls, attributes, at + 1));
  }
}

async function passed(done: Promise<void>, call: PluginCall, attributes: AdmissionAttributes): Promise<void> {
  const { trace } = attributes.request;
  const began = performance.now();
  const traced = trace.admission?.length;
  try {
    await done;
  } catch (error) {
    throw traceRefused(error, call, attributes);
  }
  // Plugins that call webhooks or policies trace each of them by name.
  if (trace.admission?.length === traced)
    traceAdmission(trace, { plugin: call.plugin, ms: performance.now() - began, outcome: 'passed' });
}

function traceRefused(error: unknown, { plugin }: PluginCall, { request }: AdmissionAttributes): unknown {
  traceAdmission(request.trace, { plugin, outcome: `refused: ${(error as Error).message}` });
  return error;
}
