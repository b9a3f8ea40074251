import { type KindRegistry, type ResourceKind, traceAdmission } from '@annex/kinds';
import type { AdmissionPlugin, AdmissionAttributes } from './plugin.ts';

/** Returns the other versions in which a resource is served. */
export const equivalentsOf = (kind: ResourceKind, kinds: KindRegistry): ResourceKind[] =>
  [...kinds.kinds()].filter((other) => other !== kind && other.storage?.prefix === kind.storage?.prefix);

/** A plugin and its method for one phase. */
interface Gate {
  plugin: string;
  pass(attributes: AdmissionAttributes): void | Promise<void>;
}

/** The plugins that handle a kind, in order, by phase. */
interface Gates {
  mutate: readonly Gate[];
  validate: readonly Gate[];
}

/** The admission plugins of an app, in order. A phase that finishes synchronously returns no promise. */
export class AdmissionChain {
  readonly #plugins: readonly AdmissionPlugin[];
  readonly #kinds: KindRegistry;
  // Most plugins handle few kinds. The plugins of a kind are selected once.
  readonly #known = new WeakMap<ResourceKind, Gates>();

  constructor(plugins: readonly AdmissionPlugin[], kinds: KindRegistry) {
    this.#plugins = plugins;
    this.#kinds = kinds;
  }

  /** Returns the other versions in which a resource is served. */
  equivalents(kind: ResourceKind): ResourceKind[] {
    return equivalentsOf(kind, this.#kinds);
  }

  /** Runs every mutating plugin; a second time if a plugin requests reinvocation. */
  mutate(attributes: AdmissionAttributes): Promise<void> | void {
    const gates = this.#of(attributes.kind).mutate;
    const first = passAll(gates, attributes);
    return first ? first.then(() => mutateAgain(gates, attributes)) : mutateAgain(gates, attributes);
  }

  /** Runs every validating plugin. */
  validate(attributes: AdmissionAttributes): Promise<void> | void {
    return passAll(this.#of(attributes.kind).validate, attributes);
  }

  #of(kind: ResourceKind): Gates {
    let gates = this.#known.get(kind);
    if (gates === undefined) {
      const resource = `${kind.group}/${kind.resource}`;
      const plugins = this.#plugins.filter(({ resources }) => resources?.includes(resource) ?? true);
      gates = { mutate: gatesOf(plugins, 'mutate'), validate: gatesOf(plugins, 'validate') };
      this.#known.set(kind, gates);
    }
    return gates;
  }
}

const gatesOf = (plugins: readonly AdmissionPlugin[], what: 'mutate' | 'validate'): Gate[] =>
  plugins.flatMap((plugin) => {
    const pass = plugin[what]?.bind(plugin);
    return pass ? [{ plugin: plugin.name, pass }] : [];
  });

function mutateAgain(gates: readonly Gate[], attributes: AdmissionAttributes): Promise<void> | void {
  if (!attributes.reinvocation.wanted) return;
  attributes.reinvocation.again = true;
  return passAll(gates, attributes);
}

/** Calls the plugins one after the other. */
function passAll(gates: readonly Gate[], attributes: AdmissionAttributes, from = 0): Promise<void> | void {
  for (let at = from; at < gates.length; at++) {
    const gate = gates[at] as Gate;
    let done;
    try {
      done = gate.pass(attributes);
    } catch (error) {
      throw traceRefused(error, gate, attributes);
    }
    if (done !== undefined)
      return passed(done, gate, attributes).then(() => passAll(gates, attributes, at + 1));
  }
}

async function passed(done: Promise<void>, gate: Gate, attributes: AdmissionAttributes): Promise<void> {
  const { trace } = attributes.request;
  const began = performance.now();
  const notified = trace.admission?.length;
  try {
    await done;
  } catch (error) {
    throw traceRefused(error, gate, attributes);
  }
  // Plugins that call webhooks or policies trace each of them by name.
  if (trace.admission?.length === notified)
    traceAdmission(trace, { plugin: gate.plugin, ms: performance.now() - began, outcome: 'passed' });
}

function traceRefused(error: unknown, { plugin }: Gate, { request }: AdmissionAttributes): unknown {
  traceAdmission(request.trace, { plugin, outcome: `refused: ${(error as Error).message}` });
  return error;
}
