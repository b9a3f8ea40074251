import { type KindRegistry, type ResourceKind, traceAdmission } from '@annex/kinds';
import type { AdmissionPlugin, AdmissionRequest } from './plugin.ts';

/** The other versions in which a resource is served. */
export const equivalentsOf = (kind: ResourceKind, kinds: KindRegistry): ResourceKind[] =>
  [...kinds.kinds()].filter((other) => other !== kind && other.storage?.prefix === kind.storage?.prefix);

/** What a plugin does about a request. */
interface Gate {
  plugin: string;
  pass(request: AdmissionRequest): void | Promise<void>;
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
  mutate(request: AdmissionRequest): Promise<void> | void {
    const gates = this.#of(request.kind).mutate;
    const first = passAll(gates, request);
    return first ? first.then(() => mutateAgain(gates, request)) : mutateAgain(gates, request);
  }

  /** Lets every validating plugin refuse. */
  validate(request: AdmissionRequest): Promise<void> | void {
    return passAll(this.#of(request.kind).validate, request);
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

function mutateAgain(gates: readonly Gate[], request: AdmissionRequest): Promise<void> | void {
  if (!request.reinvocation.wanted) return;
  request.reinvocation.again = true;
  return passAll(gates, request);
}

/** Asks one plugin after the other. */
function passAll(gates: readonly Gate[], request: AdmissionRequest, from = 0): Promise<void> | void {
  for (let at = from; at < gates.length; at++) {
    const gate = gates[at] as Gate;
    let done;
    try {
      done = gate.pass(request);
    } catch (error) {
      throw traceRefused(error, gate, request);
    }
    if (done !== undefined) return passed(done, gate, request).then(() => passAll(gates, request, at + 1));
  }
}

async function passed(done: Promise<void>, gate: Gate, request: AdmissionRequest): Promise<void> {
  const { trace } = request.request;
  const began = performance.now();
  const told = trace.admission?.length;
  try {
    await done;
  } catch (error) {
    throw traceRefused(error, gate, request);
  }
  // Who asks others has named them.
  if (trace.admission?.length === told)
    traceAdmission(trace, { plugin: gate.plugin, ms: performance.now() - began, outcome: 'passed' });
}

function traceRefused(error: unknown, { plugin }: Gate, { request }: AdmissionRequest): unknown {
  traceAdmission(request.trace, { plugin, outcome: `refused: ${(error as Error).message}` });
  return error;
}
