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
    authorize: (attributes) => ask(list, attributes, []),
    explain: (attributes) => explain(list, attributes),
  };
}

/** Asks those that have not passed yet. Stays synchronous as long as the authorizers do. */
function ask(
  list: readonly Authorizer[],
  attributes: Attributes,
  passed: Decision[],
): Promise<Decision> | Decision {
  for (let next = list[passed.length]; next !== undefined; next = list[passed.length]) {
    const answer = next.authorize(attributes);
    if (answer instanceof Promise) {
      return answer.then((decision) =>
        decision.decision === 'noOpinion' ? ask(list, attributes, [...passed, decision]) : decision,
      );
    }
    if (answer.decision !== 'noOpinion') return answer;
    passed.push(answer);
  }
  return merged(passed);
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

const noOpinion: Decision = { decision: 'noOpinion', reason: '' };

function merged(passed: readonly Decision[]): Decision {
  const telling = passed.filter(({ reason, evaluationError }) => reason || evaluationError);
  if (telling.length < 2) return telling[0] ?? noOpinion;
  const errors = telling.flatMap(({ evaluationError }) => evaluationError || []);
  return {
    decision: 'noOpinion',
    reason: telling.flatMap(({ reason }) => reason || []).join('\n'),
    ...(errors.length > 0 ? { evaluationError: aggregateText(errors) } : {}),
  };
}
