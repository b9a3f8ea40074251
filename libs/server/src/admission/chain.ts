import type { KindRegistry } from '../kind-registry.ts';
import type { ResourceKind } from '../resource-kind.ts';
import { traceAdmission } from '../trace/decision-trace.ts';
import type { AdmissionPlugin, AdmissionRequest } from './plugin.ts';

/** The other versions in which a resource is served. */
export const equivalentsOf = (kind: ResourceKind, kinds: KindRegistry): ResourceKind[] =>
  [...kinds.kinds()].filter((other) => other !== kind && other.storage?.prefix === kind.storage?.prefix);

/** The admission plugins of an app, in their order. */
export class AdmissionChain {
  readonly #plugins: readonly AdmissionPlugin[];
  readonly #kinds: KindRegistry;
  // Most plugins look at few kinds: who looks at a kind is found out once.
  readonly #known = new WeakMap<ResourceKind, readonly AdmissionPlugin[]>();

  constructor(plugins: readonly AdmissionPlugin[], kinds: KindRegistry) {
    this.#plugins = plugins;
    this.#kinds = kinds;
  }

  /** The other versions in which a resource is served. */
  equivalents(kind: ResourceKind): ResourceKind[] {
    return equivalentsOf(kind, this.#kinds);
  }

  /** Lets every mutating plugin change the object; once more where one of them asks for it. */
  async mutate(request: AdmissionRequest): Promise<void> {
    const plugins = this.#of(request.kind);
    await each(plugins, request, (plugin) => plugin.mutate?.(request));
    if (!request.reinvocation.wanted) return;
    request.reinvocation.again = true;
    await each(plugins, request, (plugin) => plugin.mutate?.(request));
  }

  /** Lets every validating plugin refuse. */
  async validate(request: AdmissionRequest): Promise<void> {
    await each(this.#of(request.kind), request, (plugin) => plugin.validate?.(request));
  }

  #of(kind: ResourceKind): readonly AdmissionPlugin[] {
    let plugins = this.#known.get(kind);
    if (plugins === undefined) {
      const resource = `${kind.group}/${kind.resource}`;
      plugins = this.#plugins.filter(({ resources }) => resources?.includes(resource) ?? true);
      this.#known.set(kind, plugins);
    }
    return plugins;
  }
}

/** Calls one plugin after the other; who is done at once does not give up the turn. */
async function each(
  plugins: readonly AdmissionPlugin[],
  { request: { trace } }: AdmissionRequest,
  call: (plugin: AdmissionPlugin) => void | Promise<void>,
): Promise<void> {
  for (const plugin of plugins) {
    try {
      const done = call(plugin);
      if (done === undefined) continue;
      const began = performance.now();
      const told = trace.admission?.length;
      await done;
      // Who asks others has named them.
      if (trace.admission?.length === told)
        traceAdmission(trace, { plugin: plugin.name, ms: performance.now() - began, outcome: 'passed' });
    } catch (error) {
      traceAdmission(trace, { plugin: plugin.name, outcome: `refused: ${(error as Error).message}` });
      throw error;
    }
  }
}
