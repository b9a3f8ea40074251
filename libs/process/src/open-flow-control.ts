import {
  type Configured,
  FlowControl,
  type FlowSchemaSpec,
  prepareRules,
  type PriorityLevelSpec,
} from '@annex/flow-control';
import { builtinStoragePrefix, finishInSlices, type KubeObject } from '@annex/machinery';
import type { Part } from '@annex/runtime';
import { decodeLarge, pause, type ServerDeps } from '@annex/server';
import type { StoredObject } from '@annex/storage';
import type { LimitConfig } from './limit-options.ts';

type Deps = Pick<ServerDeps, 'clock' | 'feed' | 'log' | 'metrics'>;

const [schemas, levels] = ['/registry/flowschemas/', '/registry/prioritylevelconfigurations/'];

/** The flow control of a server, and the part that follows its objects. */
export interface OpenFlowControl {
  flows: FlowControl;
  part: Part;
}

/** Creates the flow control of a server. It follows the stored objects while its part runs. */
export function openFlowControl(
  config: Pick<LimitConfig, 'maxRequestsInflight' | 'maxMutatingRequestsInflight'>,
  deps: Deps,
): OpenFlowControl {
  const { clock, metrics } = deps;
  const seats = config.maxRequestsInflight + config.maxMutatingRequestsInflight;
  const flows = new FlowControl({ clock, metrics, seats, facts: factsOf(deps) });
  const source = new ConfigurationSource(deps, flows);
  let stopAdjusting = () => {};
  return {
    flows,
    part: {
      name: 'flow control',
      async start() {
        await source.start();
        stopAdjusting = flows.start();
      },
      stop() {
        stopAdjusting();
        source.stop();
      },
    },
  };
}

function factsOf({ feed }: Deps): ConstructorParameters<typeof FlowControl>[0]['facts'] {
  return {
    stored(apiGroup, resource) {
      const usage = feed.usage(builtinStoragePrefix(apiGroup, resource));
      return usage && { count: usage.size, averageBytes: usage.bytes / (usage.size || 1) };
    },
    watches({ apiGroup, resource, namespace, name }) {
      const folder = builtinStoragePrefix(apiGroup, resource);
      const inner = namespace === '' ? folder : `${folder}${namespace}/`;
      return feed.usage(folder)?.watchersOf(inner, inner + name) ?? 0;
    },
  };
}

/** Configures a flow control with the stored objects whenever they change. */
class ConfigurationSource {
  readonly #deps: Deps;
  readonly #flows: FlowControl;
  readonly #ends = new Map<string, () => void>();
  readonly #specs = new WeakMap<StoredObject, Configured<unknown>>();
  /** Ends with the last configuration: one follows the other. */
  #configuring: Promise<void> = Promise.resolve();
  #isStopped = false;
  #isScheduled = false;

  constructor(deps: Deps, flows: FlowControl) {
    this.#deps = deps;
    this.#flows = flows;
  }

  async start(): Promise<void> {
    await Promise.all([schemas, levels].map((prefix) => this.#follow(prefix)));
    await this.#configure();
  }

  stop(): void {
    this.#isStopped = true;
    for (const end of this.#ends.values()) end();
  }

  async #follow(prefix: string): Promise<void> {
    const cache = this.#deps.feed.objects(prefix);
    await cache.waitFor();
    if (this.#isStopped) return;
    const onError = () => {
      if (!this.#isStopped) void this.#follow(prefix).catch(this.#warn);
    };
    this.#ends.set(prefix, cache.subscribe(prefix, cache.revision, { onEvent: this.#schedule, onError }));
    this.#schedule();
  }

  /** Objects often change several at a time. */
  readonly #schedule = (): void => {
    if (!this.#isScheduled) {
      setImmediate(() => (this.#configuring = this.#configuring.then(() => this.#configure())));
    }
    this.#isScheduled = true;
  };

  async #configure(): Promise<void> {
    this.#isScheduled = false;
    try {
      const flowSchemas = await this.#specsOf<FlowSchemaSpec>(schemas);
      const priorityLevels = await this.#specsOf<PriorityLevelSpec>(levels);
      await finishInSlices(prepareRules(flowSchemas), pause);
      this.#flows.configure(flowSchemas, priorityLevels);
    } catch (error) {
      this.#warn(error);
    }
  }

  /** Reads the stored objects in slices, each once: an object that did not change is neither decoded nor compiled again. */
  async #specsOf<Spec>(prefix: string): Promise<Configured<Spec>[]> {
    const specs: Configured<Spec>[] = [];
    for (const { value } of this.#deps.feed.objects(prefix).list(prefix).entries) {
      let known = this.#specs.get(value) as Configured<Spec> | undefined;
      if (known === undefined) {
        await decodeLarge(value);
        await pause();
        const { metadata, spec } = value.object as KubeObject & { spec: Spec };
        known = { name: metadata.name ?? '', uid: metadata.uid ?? '', spec };
        this.#specs.set(value, known);
      }
      specs.push(known);
    }
    return specs;
  }

  readonly #warn = (error: unknown): void =>
    this.#deps.log.warn('the objects of priority and fairness cannot be used', { error });
}
