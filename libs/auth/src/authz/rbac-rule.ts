import { trimRight } from '@annex/machinery';
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
      .map((url) => trimRight(url, '*'));
  }

  allows(asked: Attributes): boolean {
    if (!this.#verbs.include(asked.verb)) return false;
    return asked.resourceRequest ? this.#allowsResource(asked) : this.#allowsPath(asked.path);
  }

  /** The fields of the rule that do not fit what is asked; none where it allows. */
  lacks(asked: Attributes): string[] {
    const fits = asked.resourceRequest
      ? {
          verbs: this.#verbs.include(asked.verb),
          apiGroups: this.#groups.include(asked.apiGroup),
          resources: this.#includesResource(asked),
          resourceNames: this.#includesName(asked.name),
        }
      : { verbs: this.#verbs.include(asked.verb), nonResourceURLs: this.#allowsPath(asked.path) };
    return Object.entries(fits).flatMap(([field, fit]) => (fit ? [] : [field]));
  }

  #allowsResource(asked: Attributes): boolean {
    return (
      this.#groups.include(asked.apiGroup) && this.#includesName(asked.name) && this.#includesResource(asked)
    );
  }

  #includesName(name: string): boolean {
    return this.#names.size === 0 || this.#names.has(name);
  }

  #includesResource({ resource, subresource }: Attributes): boolean {
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
