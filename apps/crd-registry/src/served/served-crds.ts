import { deepEqual, internalError } from '@annex/machinery';
import type { Clock } from '@annex/runtime';
import type { KindRegistry, ResourceKind } from '@annex/kinds';
import { hasBadCaBundle } from '../crd/ca-bundle.ts';
import { type Crd, isTrue, versionsOf } from '../crd/crd.ts';
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

/** Updates the kinds of a registry when accepted CRDs change. */
export class ServedCrds {
  readonly #registry: KindRegistry;
  readonly #converterFor: (crd: Crd) => Converter;
  readonly #clock: Pick<Clock, 'setTimeout'>;
  readonly #served = new Map<string, Served>();
  /** Served CRDs by the path of a version, then by name. */
  readonly #paths = new Map<string, Map<string, Served>>();
  /** Accepted CRDs that cannot be served. */
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

  /** Throws if a resource is not served because its CRD is broken. */
  throwIfBroken(group: string, version: string, resource: string): void {
    const broken = this.#broken.get(`${resource}.${group}`);
    if (broken && versionsOf(broken).some(({ name, served }) => served && name === version))
      throw internalError('error resolving resource');
  }

  /** Returns the paths of the served group-versions: `apis/example.com/v1`. */
  paths(): string[] {
    return [...this.#paths.keys()];
  }

  /** Returns the CRDs with a version under a path. */
  at(path: string): CompiledCrd[] {
    return [...(this.#paths.get(path)?.values() ?? [])].map(({ compiled }) => compiled);
  }

  /** Returns every served CRD, in the order of insertion. */
  *compiled(): Iterable<CompiledCrd> {
    for (const served of this.#served.values()) yield served.compiled;
  }

  /** Serves a CRD in its current form. Does nothing if no change affects its kinds. */
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
    // Compiled schemas are kept while a CRD is being deleted, so that its watches receive the deletions.
    const compiled = isSame ? { ...before.compiled, crd } : compileCrd(crd, this.#converterFor(crd));
    if (!isSame) compiled.prepare();
    const retire = isSame ? before.retire : new AbortController();
    const kinds = versionsOf(crd)
      .filter((version) => version.served)
      .map((version) => servedKind(compiled, version, retire.signal));
    if (!isSame) this.#leavePaths(name, before);
    this.#enter(name, { crd, compiled, kinds, retire });
    for (const kind of kinds) this.#registry.add(kind);
    if (before === undefined || isSame) return;
    const keys = new Set(kinds.map(keyOf));
    for (const kind of before.kinds) if (!keys.has(keyOf(kind))) this.#registry.remove(kind);
    this.#closeLater(before);
  }

  /** Closes open connections of converters. */
  close(): void {
    for (const { converter } of this.compiled()) converter.close?.();
  }

  /** Stops serving a CRD. */
  remove(name: string): void {
    this.#broken.delete(name);
    const served = this.#served.get(name);
    if (served === undefined) return;
    this.#served.delete(name);
    this.#leavePaths(name, served);
    for (const kind of served.kinds) this.#registry.remove(kind);
    this.#closeLater(served);
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

  // Watches continue for a while after a change, so that they receive the deletion of the last objects.
  #closeLater({ compiled, retire }: Served): void {
    this.#clock.setTimeout(() => {
      retire.abort();
      compiled.converter.close?.();
    }, lingerMs);
  }
}

/** Milliseconds during which kube keeps the storage of a replaced CRD. */
export const lingerMs = 1000;

const pathOf = (kind: ResourceKind): string => `apis/${kind.group}/${kind.version}`;

const isServed = (crd: Crd): boolean =>
  (isTrue(crd, 'NamesAccepted') || isTrue(crd, 'Established')) && !overlapsBuiltin(crd.spec);

const keyOf = ({ group, version, resource }: ResourceKind): string => `${group}/${version}/${resource}`;

const isServedAlike = (a: Crd, b: Crd): boolean =>
  a.metadata.uid === b.metadata.uid &&
  deepEqual(a.spec, b.spec) &&
  deepEqual(a.status.acceptedNames, b.status.acceptedNames);
