import type { KindRegistry } from '../kind-registry.ts';
import type { ResourceKind } from '../resource-kind.ts';
import { traceAdmission } from '../trace/decision-trace.ts';
import type { AdmissionPlugin, AdmissionRequest } from './plugin.ts';

/** The other versions in which a resource is served. */
export const equivalentsOf = (kind: ResourceKind, kinds: KindRegistry): ResourceKind[] =>
  [...kinds.kinds()].filter((other) => other !== kind && other.storage?.prefix === kind.storage?.prefix);

/** The plugins that look at a kind, in their order, by what they do. */
interface Gates {
  mutate: readonly AdmissionPlugin[];
  validate: readonly AdmissionPlugin[];
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
    const plugins = this.#of(request.kind).mutate;
    const first = each(plugins, 'mutate', request);
    return first ? first.then(() => mutateAgain(plugins, request)) : mutateAgain(plugins, request);
  }

  /** Lets every validating plugin refuse. */
  validate(request: AdmissionRequest): Promise<void> | void {
    return each(this.#of(request.kind).validate, 'validate', request);
  }

  #of(kind: ResourceKind): Gates {
    let gates = this.#known.get(kind);
    if (gates === undefined) {
      const resource = `${kind.group}/${kind.resource}`;
      const plugins = this.#plugins.filter(({ resources }) => resources?.includes(resource) ?? true);
      gates = {
        mutate: plugins.filter(({ mutate }) => mutate !== undefined),
        validate: plugins.filter(({ validate }) => validate !== undefined),
      };
      this.#known.set(kind, gates);
    }
    return gates;
  }
}

function mutateAgain(plugins: readonly AdmissionPlugin[], request: AdmissionRequest): Promise<void> | void {
  if (!request.reinvocation.wanted) return;
  request.reinvocation.again = true;
  return each(plugins, 'mutate', request);
}

/** Calls one plugin after the other. */
function each(
  plugins: readonly AdmissionPlugin[],
  call: 'mutate' | 'validate',
  request: AdmissionRequest,
  from = 0,
): Promise<void> | void {
  for (let at = from; at < plugins.length; at++) {
    const plugin = plugins[at] as AdmissionPlugin;
    try {
      const done = plugin[call]?.(request);
      if (done !== undefined)
        return awaited(done, plugin, request).then(() => each(plugins, call, request, at + 1));
    } catch (error) {
      throw traceRefused(error, plugin, request);
    }
  }
}

async function awaited(
  done: Promise<void>,
  plugin: AdmissionPlugin,
  request: AdmissionRequest,
): Promise<void> {
  const { trace } = request.request;
  const began = performance.now();
  const told = trace.admission?.length;
  try {
    await done;
  } catch (error) {
    throw traceRefused(error, plugin, request);
  }
  // Who asks others has named them.
  if (trace.admission?.length === told)
    traceAdmission(trace, { plugin: plugin.name, ms: performance.now() - began, outcome: 'passed' });
}

function traceRefused(error: unknown, { name }: AdmissionPlugin, { request }: AdmissionRequest): unknown {
  traceAdmission(request.trace, { plugin: name, outcome: `refused: ${(error as Error).message}` });
  return error;
}
