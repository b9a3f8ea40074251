/** The operators of a label requirement, as spelled in the query parameter. */
export type LabelOperator = 'in' | 'notin' | '=' | '==' | '!=' | 'exists' | '!' | 'gt' | 'lt';

/** One term of a label selector. */
export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  readonly values: readonly string[];
}

/** The labels of an object as in `metadata.labels`. */
export type Labels = Readonly<Record<string, string>> | undefined;

/** A compiled label selector: an object matches if every requirement holds. Immutable. */
export class LabelSelector {
  /** Matches every object. */
  static readonly everything = new LabelSelector([], false);
  /** Matches no object. */
  static readonly nothing = new LabelSelector([], true);

  readonly requirements: readonly LabelRequirement[];
  private readonly never: boolean;

  private constructor(requirements: readonly LabelRequirement[], never: boolean) {
    this.requirements = requirements;
    this.never = never;
  }

  /** Creates a selector of these requirements, sorted by key. The requirements must be valid. */
  static of(requirements: readonly LabelRequirement[]): LabelSelector {
    if (requirements.length === 0) return LabelSelector.everything;
    return new LabelSelector(
      requirements.toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)),
      false,
    );
  }

  /** True if the selector restricts nothing. */
  get empty(): boolean {
    return !this.never && this.requirements.length === 0;
  }

  matches(labels: Labels): boolean {
    if (this.never) return false;
    for (const requirement of this.requirements) if (!requirementHolds(requirement, labels)) return false;
    return true;
  }

  /** Formats the selector as a query parameter that parses to this selector. */
  toString(): string {
    return this.requirements.map(requirementText).join(',');
  }
}

/** An integer as Go parses it. */
export const integer = /^[+-]?\d+$/;

function requirementHolds(requirement: LabelRequirement, labels: Labels): boolean {
  const { key, operator, values } = requirement;
  const value = labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case 'in':
    case '=':
    case '==':
      return value !== undefined && values.includes(value);
    case 'notin':
    case '!=':
      return value === undefined || !values.includes(value);
    case 'exists':
      return value !== undefined;
    case '!':
      return value === undefined;
    case 'gt':
    case 'lt': {
      if (value === undefined || !integer.test(value)) return false;
      const limit = BigInt(values[0] ?? '0');
      return operator === 'gt' ? BigInt(value) > limit : BigInt(value) < limit;
    }
  }
}

function requirementText({ key, operator, values }: LabelRequirement): string {
  if (operator === 'exists') return key;
  if (operator === '!') return `!${key}`;
  const list = values.toSorted().join(',');
  if (operator === 'in' || operator === 'notin') return `${key} ${operator} (${list})`;
  return `${key}${operator === 'gt' ? '>' : operator === 'lt' ? '<' : operator}${list}`;
}
