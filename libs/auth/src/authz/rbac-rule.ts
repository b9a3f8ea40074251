import type { PolicyRule } from './rbac-types.ts';
import type { Attributes } from '../types.ts';

/** A rule whose lists are sets, so that asking costs a few look-ups. */
export class CompiledRule {
  readonly rule: PolicyRule;
  readonly #verbs: Values;
  readonly #groups: Values;
  readonly #resources: Values;
  readonly #names: ReadonlySet<string>;
  readonly #paths: Values;
  /** What non-resource URLs with a trailing `*` begin with. */
  readonly #pathPrefixes: readonly string[];

  constructor(rule: PolicyRule) {
    this.rule = rule;
    this.#verbs = new Values(rule.verbs);
    this.#groups = new Values(rule.apiGroups);
    this.#resources = new Values(rule.resources);
    this.#names = new Set(rule.resourceNames ?? []);
    this.#paths = new Values(rule.nonResourceURLs);
    this.#pathPrefixes = (rule.nonResourceURLs ?? [])
      .filter((url) => url.endsWith('*'))
      .map((url) => url.replace(/\*+$/, ''));
  }

  allows(asked: Attributes): boolean {
    if (!this.#verbs.include(asked.verb)) return false;
    return asked.resourceRequest ? this.#allowsResource(asked) : this.#allowsPath(asked.path);
  }

  #allowsResource({ apiGroup, resource, subresource, name }: Attributes): boolean {
    if (!this.#groups.include(apiGroup)) return false;
    if (this.#names.size > 0 && !this.#names.has(name)) return false;
    if (subresource === '') return this.#resources.include(resource);
    return (
      this.#resources.include(`${resource}/${subresource}`) || this.#resources.listed.has(`*/${subresource}`)
    );
  }

  #allowsPath(path: string): boolean {
    return this.#paths.include(path) || this.#pathPrefixes.some((prefix) => path.startsWith(prefix));
  }
}

class Values {
  readonly listed: ReadonlySet<string>;
  readonly #all: boolean;

  constructor(values: readonly string[] | undefined) {
    this.listed = new Set(values ?? []);
    this.#all = this.listed.has('*');
  }

  include(value: string): boolean {
    return this.#all || this.listed.has(value);
  }
}
