import { aggregateText } from '../aggregate-text.ts';
import type { Attributes, Authorizer, Decision, Explanation } from '../types.ts';

/** The group whose members are allowed everything. */
export const privilegedGroup = 'system:masters';

/** Allows everything to members of these groups; has no opinion on others. */
export function alwaysAllowGroups(...groups: string[]): Authorizer {
  const privileged = new Set(groups);
  const allow: Decision = { decision: 'allow', reason: '' };
  const pass: Decision = { decision: 'noOpinion', reason: '' };
  return {
    name: 'AlwaysAllowGroups',
    authorize: ({ user }) => (user.groups.some((group) => privileged.has(group)) ? allow : pass),
  };
}

/** Runs authorizers in order; the first that allows or denies decides. */
export function unionAuthorizer(list: readonly Authorizer[]): Authorizer {
  return {
    name: list.map(({ name }) => name).join(','),
    authorize: (attributes) => ask(list, attributes, []),
    explain: (attributes) => explain(list, attributes),
  };
}

/** Runs the remaining authorizers. Stays synchronous while the authorizers do. */
function ask(
  list: readonly Authorizer[],
  attributes: Attributes,
  passed: Decision[],
): Promise<Decision> | Decision {
  for (let next = list[passed.length]; next !== undefined; next = list[passed.length]) {
    const result = next.authorize(attributes);
    if (result instanceof Promise) {
      return result.then((decision) =>
        decision.decision === 'noOpinion' ? ask(list, attributes, [...passed, decision]) : decision,
      );
    }
    if (result.decision !== 'noOpinion') return result;
    passed.push(result);
  }
  return merged(passed);
}

/** Explains the decision of each authorizer, up to the first that allows or denies. */
async function explain(list: readonly Authorizer[], attributes: Attributes): Promise<Explanation[]> {
  const explanations: Explanation[] = [];
  for (const authorizer of list) {
    const own = (await authorizer.explain?.(attributes)) ?? [
      { authorizer: authorizer.name, ...(await authorizer.authorize(attributes)) },
    ];
    explanations.push(...own);
    if (own.some(({ decision }) => decision !== 'noOpinion')) break;
  }
  return explanations;
}

const noOpinion: Decision = { decision: 'noOpinion', reason: '' };

function merged(passed: readonly Decision[]): Decision {
  const explained = passed.filter(({ reason, evaluationError }) => reason || evaluationError);
  if (explained.length < 2) return explained[0] ?? noOpinion;
  const errors = explained.flatMap(({ evaluationError }) => evaluationError || []);
  return {
    decision: 'noOpinion',
    reason: explained.flatMap(({ reason }) => reason || []).join('\n'),
    ...(errors.length > 0 ? { evaluationError: aggregateText(errors) } : {}),
  };
}
