import { deepEqual, internalError } from '@annex/machinery';
import type { Clock } from '@annex/runtime';
import type { KindRegistry, ResourceKind } from '@annex/kinds';
import { hasBadCaBundle } from '../definition/ca-bundle.ts';
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
  readonly #clock: Pick<Clock, 'setTimeout'>;
  readonly #served = new Map<string, Served>();
  /** By the path of a version, then by name. */
  readonly #paths = new Map<string, Map<string, Served>>();
  /** CRDs that would be served if they could be. */
  readonly #broken = new Map<string, Crd>();

  constructor(
    registry: KindRegistry,
    converterFor: (crd: Crd) => Converter,
    clock: Pick<Clock, 'setTimeout'>,
  ) {
    this.#registry = registry;
    this.#converterFor = converterFor;
    this.#clock = clock;
  }

  /** Throws for a resource that is not served because its CRD cannot be used. */
  reportErrors(group: string, version: string, resource: string): void {
    const broken = this.#broken.get(`${resource}.${group}`);
    if (broken && versionsOf(broken).some(({ name, served }) => served && name === version))
      throw internalError('error resolving resource');
  }

  /** The paths of the group-versions that are served: `apis/example.com/v1`. */
  paths(): string[] {
    return [...this.#paths.keys()];
  }

  /** The CRDs with a version under a path. */
  at(path: string): CompiledCrd[] {
    return [...(this.#paths.get(path)?.values() ?? [])].map(({ compiled }) => compiled);
  }

  /** Every served CRD, in the order in which they came. */
  *compiled(): Iterable<CompiledCrd> {
    for (const served of this.#served.values()) yield served.compiled;
  }

  /** Serves a CRD as it is now. Nothing happens where nothing that matters to its kinds changed. */
  put(crd: Crd): void {
    const name = crd.metadata.name ?? '';
    const before = this.#served.get(name);
    this.#broken.delete(name);
    if (!isServed(crd)) return this.remove(name);
    if (hasBadCaBundle(crd)) {
      this.remove(name);
      return void this.#broken.set(name, crd);
    }
    const isSame = before !== undefined && isServedAlike(before.crd, crd);
    if (isSame && isTrue(before.crd, 'Terminating') === isTrue(crd, 'Terminating')) return;
    // Watches see the end of a CRD that is being deleted: what they hold stays.
    const compiled = isSame ? { ...before.compiled, crd } : compileCrd(crd, this.#converterFor(crd));
    const retire = isSame ? before.retire : new AbortController();
    const kinds = versionsOf(crd)
      .filter((version) => version.served)
      .map((version) => servedKind(compiled, version, retire.signal));
    this.#leavePaths(name, before);
    this.#enter(name, { crd, compiled, kinds, retire });
    for (const kind of kinds) this.#registry.add(kind);
    for (const kind of before?.kinds ?? []) {
      if (!kinds.some((other) => sameKey(kind, other))) this.#registry.remove(kind);
    }
    if (before !== undefined && !isSame) this.#letGo(before);
  }

  /** Lets go of what converters hold open. */
  close(): void {
    for (const { converter } of this.compiled()) converter.close?.();
  }

  /** Ends serving a CRD. */
  remove(name: string): void {
    this.#broken.delete(name);
    const served = this.#served.get(name);
    if (served === undefined) return;
    this.#served.delete(name);
    this.#leavePaths(name, served);
    for (const kind of served.kinds) this.#registry.remove(kind);
    this.#letGo(served);
  }

  #enter(name: string, served: Served): void {
    this.#served.set(name, served);
    for (const path of served.kinds.map(pathOf)) {
      let members = this.#paths.get(path);
      if (members === undefined) this.#paths.set(path, (members = new Map<string, Served>()));
      members.set(name, served);
    }
  }

  #leavePaths(name: string, served: Served | undefined): void {
    for (const path of served?.kinds.map(pathOf) ?? []) {
      const members = this.#paths.get(path);
      members?.delete(name);
      if (members?.size === 0) this.#paths.delete(path);
    }
  }

  // Those who watch still see what happens right after a change, and the last objects of a CRD go.
  #letGo({ compiled, retire }: Served): void {
    this.#clock.setTimeout(() => {
      retire.abort();
      compiled.converter.close?.();
    }, lingerMs);
  }
}

/** As long as kube keeps what it served a CRD with. */
export const lingerMs = 1000;

const pathOf = (kind: ResourceKind): string => `apis/${kind.group}/${kind.version}`;

const isServed = (crd: Crd): boolean =>
  (isTrue(crd, 'NamesAccepted') || isTrue(crd, 'Established')) && !overlapsBuiltin(crd.spec);

const sameKey = (a: ResourceKind, b: ResourceKind): boolean =>
  a.group === b.group && a.version === b.version && a.resource === b.resource;

const isServedAlike = (a: Crd, b: Crd): boolean =>
  a.metadata.uid === b.metadata.uid &&
  deepEqual(a.spec, b.spec) &&
  deepEqual(a.status.acceptedNames, b.status.acceptedNames);
