import type { KubeObject, Passes } from '@annex/machinery';
import { holdsNothing } from '../holds-nothing.ts';
import type { AdmissionHost } from '../host.ts';
import { onceInSlices } from '../once.ts';
import type { KnownObject } from '@annex/server';
import { compileMatch, type MatchRequest } from './match.ts';
import type { BindingSpec, PolicySpec } from './policy-spec.ts';

/** A binding that refers to a policy. */
export interface Binding {
  name: string;
  spec: BindingSpec;
  /** Matches everything if the binding has no match resources. */
  match: MatchRequest;
}

/** A policy that is active: it has bindings. */
export interface Policy<Spec extends PolicySpec, Compiled> {
  name: string;
  spec: Spec;
  compiled: Compiled;
  match: MatchRequest;
  bindings: Binding[];
}

/** The policies of a kind. */
export interface PolicySource<Spec extends PolicySpec, Compiled> {
  /** Returns the policies that have bindings, by name. Each policy is compiled once. */
  active(): Promise<readonly Policy<Spec, Compiled>[]>;
  /** Returns true if it is certain that there are none. */
  isEmpty(): boolean;
}

const specOf = <Spec>(stored: KnownObject) => (stored.object as KubeObject & { spec: Spec }).spec;

export function policySource<Spec extends PolicySpec, Compiled>(
  host: AdmissionHost,
  resource: 'mutatingadmissionpolic' | 'validatingadmissionpolic',
  compile: (spec: Spec) => Passes<Compiled>,
): PolicySource<Spec, Compiled> {
  const { findNamespace: find } = host;
  const [policies, bindings] = [`/registry/${resource}ies/`, `/registry/${resource}ybindings/`];
  const known = onceInSlices(function* (stored) {
    const spec = specOf<Spec>(stored);
    const compiled = yield* compile(spec);
    return { spec, compiled, match: yield* compileMatch(spec.matchConstraints ?? {}, find) };
  });
  const knownBindings = onceInSlices(function* (stored) {
    const spec = specOf<BindingSpec>(stored);
    const match = spec.matchResources ? yield* compileMatch(spec.matchResources, find) : matchAll;
    yield;
    return { name: stored.object.metadata.name ?? '', spec, match };
  });
  const active = async () => {
    const [policyCache, bindingCache] = [host.objects(policies), host.objects(bindings)];
    // As with kube-apiserver's informers, recent writes may not be visible yet.
    await Promise.all([policyCache.waitFor(0), bindingCache.waitFor(0)]);
    const byPolicy = new Map<string, Binding[]>();
    for (const { value } of bindingCache.list(bindings).entries) {
      const known = knownBindings(value);
      const binding = known instanceof Promise ? await known : known;
      const bindings = byPolicy.get(binding.spec.policyName);
      if (bindings === undefined) byPolicy.set(binding.spec.policyName, [binding]);
      else bindings.push(binding);
    }
    const bound = [...byPolicy]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([name, bindings]) => {
        const stored = policyCache.get(policies + name)?.value;
        return stored === undefined ? [] : [{ name, stored, bindings }];
      });
    const found: Policy<Spec, Compiled>[] = [];
    for (const { name, stored, bindings } of bound) {
      const policy = known(stored);
      found.push({ name, ...(policy instanceof Promise ? await policy : policy), bindings });
    }
    return found;
  };
  return { active, isEmpty: holdsNothing(host, bindings) };
}

const matchAll: MatchRequest = async ({ kind }) => kind;
