import { type KindRegistry, type ResourceKind, traceAdmission } from '@annex/kinds';
import type { AdmissionPlugin, AdmissionAttributes } from './plugin.ts';

/** The other versions in which a resource is served. */
export const equivalentsOf = (kind: ResourceKind, kinds: KindRegistry): ResourceKind[] =>
  [...kinds.kinds()].filter((other) => other !== kind && other.storage?.prefix === kind.storage?.prefix);

/** What a plugin does about a request. */
interface Gate {
  plugin: string;
  pass(attributes: AdmissionAttributes): void | Promise<void>;
}

/** The plugins that look at a kind, in their order, by what they do. */
interface Gates {
  mutate: readonly Gate[];
  validate: readonly Gate[];
}

/** The admission plugins of an app, in their order. Who can say at once that nothing is to do gives no promise. */
export class AdmissionChain {
  readonly #plugins: readonly AdmissionPlugin[];
  readonly #kinds: KindRegistry;
  // Most plugins look at few kinds: who looks at a kind is found out once.
  readonly #known = new WeakMap<ResourceKind, Gates>();

  constructor(plugins: readonly AdmissionPlugin[], kinds: KindRegistry) {
    this.#plugins = plugins;
    this.#kinds = kinds;
  }

  /** The other versions in which a resource is served. */
  equivalents(kind: ResourceKind): ResourceKind[] {
    return equivalentsOf(kind, this.#kinds);
  }

  /** Lets every mutating plugin change the object; once more where one of them asks for it. */
  mutate(attributes: AdmissionAttributes): Promise<void> | void {
    const gates = this.#of(attributes.kind).mutate;
    const first = passAll(gates, attributes);
    return first ? first.then(() => mutateAgain(gates, attributes)) : mutateAgain(gates, attributes);
  }

  /** Lets every validating plugin refuse. */
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

/** Asks one plugin after the other. */
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
  // Who asks others has named them.
  if (trace.admission?.length === notified)
    traceAdmission(trace, { plugin: gate.plugin, ms: performance.now() - began, outcome: 'passed' });
}

function traceRefused(error: unknown, { plugin }: Gate, { request }: AdmissionAttributes): unknown {
  traceAdmission(request.trace, { plugin, outcome: `refused: ${(error as Error).message}` });
  return error;
}
