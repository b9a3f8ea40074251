import { deepEqual } from '@annex/machinery';
import type { KindRegistry, ResourceKind } from '@annex/server';
import { type Crd, isTrue, versionsOf } from '../definition/crd.ts';
import { type CompiledCrd, compileCrd } from './compiled-crd.ts';
import type { Converter } from './converter.ts';
import { overlapsBuiltin } from './overlap.ts';
import { servedKind } from './served-kind.ts';

interface Served {
  crd: Crd;
  compiled: CompiledCrd;
  kinds: ResourceKind[];
  /** Ends the watches of the kinds. */
  retire: AbortController;
}

/** Keeps the kinds of a registry in step with the CRDs that are accepted. */
export class ServedCrds {
  readonly #registry: KindRegistry;
  readonly #converterFor: (crd: Crd) => Converter;
  readonly #served = new Map<string, Served>();

  constructor(registry: KindRegistry, converterFor: (crd: Crd) => Converter) {
    this.#registry = registry;
    this.#converterFor = converterFor;
  }

  /** The paths of the group-versions that are served: `apis/example.com/v1`. */
  paths(): string[] {
    return [...new Set([...this.#served.values()].flatMap(({ kinds }) => kinds.map(pathOf)))];
  }

  /** The CRDs with a version under a path. */
  at(path: string): CompiledCrd[] {
    const served = [...this.#served.values()].filter(({ kinds }) =>
      kinds.some((kind) => pathOf(kind) === path),
    );
    return served.map(({ compiled }) => compiled);
  }

  /** Every served CRD, in the order in which they came. */
  *compiled(): Iterable<CompiledCrd> {
    for (const served of this.#served.values()) yield served.compiled;
  }

  /** Serves a CRD as it is now. Nothing happens where nothing that matters to its kinds changed. */
  put(crd: Crd): void {
    const name = crd.metadata.name ?? '';
    const before = this.#served.get(name);
    if (!isServed(crd)) return this.remove(name);
    const isSame = before !== undefined && isServedAlike(before.crd, crd);
    if (isSame && isTrue(before.crd, 'Terminating') === isTrue(crd, 'Terminating')) return;
    // Watches see the end of a CRD that is being deleted: what they hold stays.
    const compiled = isSame ? { ...before.compiled, crd } : compileCrd(crd, this.#converterFor(crd));
    const retire = isSame ? before.retire : new AbortController();
    const kinds = versionsOf(crd)
      .filter((version) => version.served)
      .map((version) => servedKind(compiled, version, retire.signal));
    this.#served.set(name, { crd, compiled, kinds, retire });
    for (const kind of kinds) this.#registry.add(kind);
    for (const kind of before?.kinds ?? []) {
      if (!kinds.some((other) => sameKey(kind, other))) this.#registry.remove(kind);
    }
    if (before !== undefined && !isSame) letGo(before);
  }

  /** Lets go of what converters hold open. */
  close(): void {
    for (const { converter } of this.compiled()) converter.close?.();
  }

  /** Ends serving a CRD. */
  remove(name: string): void {
    const served = this.#served.get(name);
    if (served === undefined) return;
    this.#served.delete(name);
    for (const kind of served.kinds) this.#registry.remove(kind);
    letGo(served);
  }
}

const pathOf = (kind: ResourceKind): string => `apis/${kind.group}/${kind.version}`;

function letGo({ compiled, retire }: Served): void {
  retire.abort();
  compiled.converter.close?.();
}

const isServed = (crd: Crd): boolean =>
  (isTrue(crd, 'NamesAccepted') || isTrue(crd, 'Established')) && !overlapsBuiltin(crd.spec);

const sameKey = (a: ResourceKind, b: ResourceKind): boolean =>
  a.group === b.group && a.version === b.version && a.resource === b.resource;

const isServedAlike = (a: Crd, b: Crd): boolean =>
  a.metadata.uid === b.metadata.uid &&
  deepEqual(a.spec, b.spec) &&
  deepEqual(a.status.acceptedNames, b.status.acceptedNames);
