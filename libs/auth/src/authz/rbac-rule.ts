import { PathPatterns } from './path-patterns.ts';
import type { PolicyRule } from './rbac-types.ts';
import type { Attributes } from '../types.ts';

/** A rule whose lists are sets, so that a check costs a few look-ups. */
export class CompiledRule {
  readonly rule: PolicyRule;
  readonly verbs: Values;
  readonly groups: Values;
  readonly resources: Values;
  readonly names: ReadonlySet<string>;
  readonly paths: PathPatterns;

  constructor(rule: PolicyRule) {
    this.rule = rule;
    this.verbs = new Values(rule.verbs);
    this.groups = new Values(rule.apiGroups);
    this.resources = new Values(rule.resources);
    this.names = new Set(rule.resourceNames ?? []);
    this.paths = new PathPatterns(rule.nonResourceURLs);
  }

  allows(attributes: Attributes): boolean {
    if (!this.verbs.include(attributes.verb)) return false;
    return attributes.resourceRequest ? this.#allowsResource(attributes) : this.paths.match(attributes.path);
  }

  /** Returns the fields of the rule that do not match the request; none if the rule allows it. */
  lacks(attributes: Attributes): string[] {
    const fits = attributes.resourceRequest
      ? {
          verbs: this.verbs.include(attributes.verb),
          apiGroups: this.groups.include(attributes.apiGroup),
          resources: this.#includesResource(attributes),
          resourceNames: this.#includesName(attributes.name),
        }
      : { verbs: this.verbs.include(attributes.verb), nonResourceURLs: this.paths.match(attributes.path) };
    return Object.entries(fits).flatMap(([field, fit]) => (fit ? [] : [field]));
  }

  #allowsResource(attributes: Attributes): boolean {
    return (
      this.groups.include(attributes.apiGroup) &&
      this.#includesName(attributes.name) &&
      this.#includesResource(attributes)
    );
  }

  #includesName(name: string): boolean {
    return this.names.size === 0 || this.names.has(name);
  }

  #includesResource({ resource, subresource }: Attributes): boolean {
    if (subresource === '') return this.resources.include(resource);
    return (
      this.resources.include(`${resource}/${subresource}`) || this.resources.listed.has(`*/${subresource}`)
    );
  }
}

/** A list in which `*` stands for every value. */
export class Values {
  readonly listed: ReadonlySet<string>;
  readonly #all: boolean;

  constructor(values: readonly string[] | null | undefined) {
    this.listed = new Set(values ?? []);
    this.#all = this.listed.has('*');
  }

  include(value: string): boolean {
    return this.#all || this.listed.has(value);
  }
}
