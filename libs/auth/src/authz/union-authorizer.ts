import { aggregateText } from '../aggregate-text.ts';
import type { Attributes, Authorizer, Decision, Explanation } from '../types.ts';

/** The group whose members may do everything. */
export const privilegedGroup = 'system:masters';

/** Allows everything to members of these groups, and has no opinion of others. */
export function alwaysAllowGroups(...groups: string[]): Authorizer {
  const privileged = new Set(groups);
  const allow: Decision = { decision: 'allow', reason: '' };
  const pass: Decision = { decision: 'noOpinion', reason: '' };
  return {
    name: 'AlwaysAllowGroups',
    authorize: ({ user }) => (user.groups.some((group) => privileged.has(group)) ? allow : pass),
  };
}

/** Asks authorizers in order; the first that allows or denies decides. */
export function unionAuthorizer(list: readonly Authorizer[]): Authorizer {
  return {
    name: list.map(({ name }) => name).join(','),
    authorize: (attributes) => ask(list, 0, attributes, []),
    explain: (attributes) => explain(list, attributes),
  };
}

/** Stays synchronous as long as the authorizers do. */
function ask(
  list: readonly Authorizer[],
  at: number,
  attributes: Attributes,
  passed: Decision[],
): Promise<Decision> | Decision {
  const authorizer = list[at];
  if (authorizer === undefined) return merged(passed);
  const next = (decision: Decision) =>
    decision.decision === 'noOpinion' ? ask(list, at + 1, attributes, [...passed, decision]) : decision;
  const answer = authorizer.authorize(attributes);
  return answer instanceof Promise ? answer.then(next) : next(answer);
}

/** What each of them says, down to the first that allows or denies. */
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

function merged(passed: readonly Decision[]): Decision {
  const errors = passed.flatMap(({ evaluationError }) => evaluationError || []);
  return {
    decision: 'noOpinion',
    reason: passed.flatMap(({ reason }) => reason || []).join('\n'),
    ...(errors.length > 0 ? { evaluationError: aggregateText(errors) } : {}),
  };
}
