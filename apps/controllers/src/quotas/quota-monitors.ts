import { groupVersion, type KubeObject } from '@annex/machinery';
import { type QuotaEvaluator, quotaEvaluator } from '@annex/admission';
import type { Clock } from '@annex/runtime';
import { pause } from '@annex/server';
import { ResourceInformers } from '../discovery/resource-informers.ts';
import type { ControllerDeps } from '../controller.ts';
import {
  type ApiResource,
  type Discovered,
  resourcePath,
  supports,
} from '../discovery/resource-discovery.ts';

/** A served resource, and the function that measures its objects. */
export interface MeasuredResource {
  resource: ApiResource;
  evaluator: QuotaEvaluator;
}

type Freed = (evaluator: QuotaEvaluator, namespace: string) => void;

/** Reports when amounts that quotas limit are freed. Watches only the resources that any quota has ever limited. */
export class QuotaMonitors {
  readonly #clock: Clock;
  readonly #served: ControllerDeps['served'];
  readonly #freed: Freed;
  readonly #informers: ResourceInformers<MeasuredResource>;
  #measured: readonly MeasuredResource[] = [];

  constructor(deps: ControllerDeps, freed: Freed) {
    this.#clock = deps.clock;
    this.#served = deps.served;
    this.#informers = new ResourceInformers(deps);
    this.#freed = freed;
  }

  /** Updates the served resources. */
  async follow({ preferred, stale }: Discovered): Promise<void> {
    const known: MeasuredResource[] = [];
    for (const resource of preferred) {
      known.push(...measured(resource));
      const paused = pause();
      if (paused) await paused;
    }
    // A server that does not respond still has its objects.
    known.push(...this.#informers.resources.filter(({ resource }) => stale.has(groupVersion(resource))));
    this.#measured = known;
    const served = new Set(this.#measured.map(({ resource }) => resourcePath(resource)));
    await this.#informers.keep(({ resource }) => served.has(resourcePath(resource)));
  }

  /** Resolves to the resources that use any of these amounts, when changes of their objects are reported. */
  async measuring(names: readonly string[]): Promise<MeasuredResource[]> {
    await this.#served.first;
    const wanted: MeasuredResource[] = [];
    for (const one of this.#measured) {
      if (names.some((name) => one.evaluator.measures(name))) wanted.push(one);
      const paused = pause();
      if (paused) await paused;
    }
    for (const one of wanted) this.#watch(one);
    await this.#informers.settled();
    return wanted;
  }

  stop(): Promise<void> {
    return this.#informers.stop();
  }

  #watch(measured: MeasuredResource): void {
    const { evaluator } = measured;
    const { frees } = evaluator;
    const freed = ({ metadata }: KubeObject) => this.#freed(evaluator, metadata.namespace ?? '');
    this.#informers.start(
      measured,
      {
        deleted: freed,
        modified: (object, previous) => {
          if (frees?.(object, previous, this.#clock.now())) freed(object);
        },
      },
      frees === undefined ? { metadataOnly: true, keep: nameOnly } : {},
    );
  }
}

function measured(resource: ApiResource): MeasuredResource[] {
  if (!resource.namespaced || !supports(resource, 'create', 'list', 'watch', 'delete')) return [];
  const evaluator = quotaEvaluator(resource.group, resource.resource);
  return evaluator === undefined ? [] : [{ resource, evaluator }];
}

function nameOnly({ metadata: { name, namespace, resourceVersion } }: KubeObject): KubeObject {
  return {
    metadata: {
      ...(name === undefined ? {} : { name }),
      ...(namespace === undefined ? {} : { namespace }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    },
  };
}
