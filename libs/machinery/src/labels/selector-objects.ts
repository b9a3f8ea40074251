import { DividedVisit, isManyParts, type Passes, sortInPasses } from '../passes.ts';
import { namesInPasses } from '../wide-objects.ts';
import { type LabelOperator, type LabelRequirement, LabelSelector } from './label-selector.ts';
import { newRequirement, SelectorError } from './requirements.ts';

/** LabelSelector of `meta/v1`. */
export interface LabelSelectorObject {
  matchLabels?: Record<string, string>;
  matchExpressions?: { key: string; operator: string; values?: string[] }[];
}

/**
 * Compiles a LabelSelector object. `undefined` matches nothing, `{}` everything, as in apimachinery. Throws
 * {@link SelectorError}; call `validateLabelSelector` first to get errors with field paths.
 */
export function compileLabelSelector(selector: LabelSelectorObject | null | undefined): LabelSelector {
  if (selector === undefined || selector === null) return LabelSelector.nothing;
  const equal = Object.entries(selector.matchLabels ?? {}).map(([key, value]) =>
    newRequirement(key, '=', [value]),
  );
  return LabelSelector.of([...equal, ...(selector.matchExpressions ?? []).map(requirementOf)]);
}

/** The same, in passes if there are many labels. */
export function* compileLabelSelectorInPasses(
  selector: LabelSelectorObject | null | undefined,
): Passes<LabelSelector> {
  const { matchLabels = {}, matchExpressions = [] } = selector ?? {};
  const names = yield* namesInPasses(matchLabels);
  if (!isManyParts(names.length + matchExpressions.length)) return compileLabelSelector(selector);
  const visit = new DividedVisit();
  const requirements: LabelRequirement[] = [];
  // The list of all requirements is sorted fast if it is in order before.
  yield* visit.each(yield* sortInPasses(names, (a, b) => (a < b ? -1 : 1)), (name) => {
    // permitted: no-inherited-keys, these are its own names
    requirements.push(newRequirement(name, '=', [matchLabels[name] ?? '']));
  });
  yield* visit.each(matchExpressions, (expression) => requirements.push(requirementOf(expression)));
  return LabelSelector.of(requirements);
}

function requirementOf({
  key,
  operator,
  values,
}: NonNullable<LabelSelectorObject['matchExpressions']>[number]): LabelRequirement {
  const known = objectOperators.get(operator);
  if (known === undefined) {
    throw new SelectorError(`${JSON.stringify(operator)} is not a valid label selector operator`);
  }
  return newRequirement(key, known, values ?? []);
}

const objectOperators = new Map<string, LabelOperator>([
  ['In', 'in'],
  ['NotIn', 'notin'],
  ['Exists', 'exists'],
  ['DoesNotExist', '!'],
]);
