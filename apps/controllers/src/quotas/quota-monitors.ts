import type { Informer } from '@annex/client';
import { groupVersion, type KubeObject } from '@annex/machinery';
import { type QuotaEvaluator, quotaEvaluator } from '@annex/admission';
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

interface Monitor extends MeasuredResource {
  informer: Informer;
}

/** Milliseconds to wait for a resource whose server does not respond. */
const settleMs = 10_000;

type Freed = (evaluator: QuotaEvaluator, namespace: string) => void;

/** Reports when amounts that quotas limit are freed. Watches only the resources that any quota has ever limited. */
export class QuotaMonitors {
  readonly #deps: ControllerDeps;
  readonly #freed: Freed;
  readonly #monitors = new Map<string, Monitor>();
  readonly #pending = new Set<Promise<void>>();
  #measured: readonly MeasuredResource[] = [];

  constructor(deps: ControllerDeps, freed: Freed) {
    this.#deps = deps;
    this.#freed = freed;
  }

  /** Updates the served resources. */
  async follow({ preferred, stale }: Discovered): Promise<void> {
    this.#measured = [
      ...preferred.flatMap(measured),
      // A server that does not respond still has its objects.
      ...[...this.#monitors.values()].filter(({ resource }) => stale.has(groupVersion(resource))),
    ];
    const served = new Set(this.#measured.map(({ resource }) => resourcePath(resource)));
    const ended = [...this.#monitors].filter(([path]) => !served.has(path));
    for (const [path] of ended) this.#monitors.delete(path);
    await Promise.all(ended.map(([, { informer }]) => informer.stop()));
  }

  /** Resolves to the resources that use any of these amounts, when changes of their objects are reported. */
  async measuring(names: readonly string[]): Promise<MeasuredResource[]> {
    await this.#deps.served.first;
    const wanted = this.#measured.filter(({ evaluator }) => names.some((name) => evaluator.measures(name)));
    for (const one of wanted) this.#watch(one);
    while (this.#pending.size > 0) await Promise.all(this.#pending);
    return wanted;
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#monitors.values()].map(({ informer }) => informer.stop()));
  }

  #watch({ resource, evaluator }: MeasuredResource): void {
    const path = resourcePath(resource);
    if (this.#monitors.has(path)) return;
    const { api, clock } = this.#deps;
    const freed = ({ metadata }: KubeObject) => this.#freed(evaluator, metadata.namespace ?? '');
    const { frees } = evaluator;
    const informer = api.informer<KubeObject>(
      path,
      {
        deleted: freed,
        modified(object, previous) {
          if (frees?.(object, previous, clock.now())) freed(object);
        },
      },
      frees === undefined ? { metadataOnly: true, keep: nameOnly } : {},
    );
    this.#monitors.set(path, { resource, evaluator, informer });
    const settled = Promise.race([informer.start(), clock.sleep(settleMs)]);
    this.#pending.add(settled);
    void settled.then(() => this.#pending.delete(settled));
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
