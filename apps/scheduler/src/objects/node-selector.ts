import { fieldErrors, fieldErrorText, validateLabelValue } from '@annex/machinery';
import type {
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  Pod,
  PreferredSchedulingTerm,
} from './pod.ts';

/** What selectors read of a node. */
export interface SelectableNode {
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
}

type Match = (node: SelectableNode) => boolean;

const integer = /^[+-]?\d+$/;
const maxInt64 = 2n ** 63n - 1n;

/** Returns whether a text is an integer of 64 bits. */
function isInt64(text: string): boolean {
  if (!integer.test(text)) return false;
  const value = BigInt(text);
  return value <= maxInt64 && value >= -maxInt64 - 1n;
}

function labelMatch({ key, operator, values = [] }: NodeSelectorRequirement): Match {
  // A value that no label can have: kube-scheduler cannot parse the term, and it matches no node.
  if (values.some((value) => validateLabelValue(value).length > 0)) return () => false;
  const set = new Set(values);
  switch (operator) {
    case 'In':
      return ({ labels }) => set.has(labels.get(key) ?? '') && labels.has(key);
    case 'NotIn':
      return ({ labels }) => !labels.has(key) || !set.has(labels.get(key) ?? '');
    case 'Exists':
      return ({ labels }) => labels.has(key);
    case 'DoesNotExist':
      return ({ labels }) => !labels.has(key);
    case 'Gt':
    case 'Lt':
      return comparison(key, operator, values[0] ?? '');
    default:
      return () => false;
  }
}

function comparison(key: string, operator: 'Gt' | 'Lt', limitText: string): Match {
  if (!isInt64(limitText)) return () => false;
  const limit = BigInt(limitText);
  return ({ labels }) => {
    const text = labels.get(key) ?? '';
    if (!isInt64(text)) return false;
    return operator === 'Gt' ? BigInt(text) > limit : BigInt(text) < limit;
  };
}

function fieldMatch({ key, operator, values = [] }: NodeSelectorRequirement): Match {
  if (key !== 'metadata.name' || values.length !== 1) return () => false;
  const [wanted] = values;
  if (operator === 'In') return ({ name }) => name === wanted;
  return operator === 'NotIn' ? ({ name }) => name !== wanted : () => false;
}

/** Compiles a term; an empty one matches no node. */
function termMatch({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm): Match {
  const matches = [...matchExpressions.map(labelMatch), ...matchFields.map(fieldMatch)];
  if (matches.length === 0) return () => false;
  return (node) => matches.every((match) => match(node));
}

/** Compiles a NodeSelector: one of its terms must match. */
export function compileNodeSelector({ nodeSelectorTerms = [] }: NodeSelector): Match {
  const terms = nodeSelectorTerms.map(termMatch);
  return (node) => terms.some((match) => match(node));
}

/** Returns the errors of preferred terms that kube-scheduler cannot parse. kube-apiserver accepts such values. */
export function preferredTermErrors(terms: readonly PreferredSchedulingTerm[]): string[] {
  return terms.flatMap(({ weight, preference: { matchExpressions = [] } }, i) =>
    weight === 0
      ? []
      : matchExpressions.flatMap((requirement, j) =>
          valueErrors(requirement, `[${i}].matchExpressions[${j}]`),
        ),
  );
}

function valueErrors({ key, operator, values = [] }: NodeSelectorRequirement, at: string): string[] {
  const isCompared = operator === 'Gt' || operator === 'Lt';
  const text = (path: string, value: string, detail: string) =>
    fieldErrorText(fieldErrors.invalid(`${at}.${path}`, value, detail));
  const integers = values.flatMap((value, i) =>
    isCompared && !isInt64(value)
      ? [text(`values[${i}]`, value, "for 'Gt', 'Lt' operators, the value must be an integer")]
      : [],
  );
  const labels = values.flatMap((value, i) =>
    validateLabelValue(value).map((detail) => text(`values[${i}][${key}]`, value, detail)),
  );
  return [...integers, ...labels];
}

/** Compiles preferred terms to the sum of the weights of those that match. */
export function compilePreferredTerms(
  terms: readonly PreferredSchedulingTerm[],
): (node: SelectableNode) => number {
  const compiled = terms.map(({ weight, preference }) => ({ weight, match: termMatch(preference) }));
  return (node) => {
    let sum = 0;
    for (const { weight, match } of compiled) if (match(node)) sum += weight;
    return sum;
  };
}

/** Compiles what a Pod requires of its node by `nodeSelector` and node affinity; `undefined` if it requires nothing. */
export function compileRequiredNode({ spec }: Pod): Match | undefined {
  const labels = Object.entries(spec.nodeSelector ?? {});
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (labels.length === 0 && required === undefined) return undefined;
  const affinity = required === undefined ? () => true : compileNodeSelector(required);
  return (node) => labels.every(([key, value]) => node.labels.get(key) === value) && affinity(node);
}
