import { goQuote, goQuoteList, type Passes, sortInPasses } from '@annex/machinery';
import { aggregateText } from '../aggregate-text.ts';
import { compactRules, ruleTexts, uncoveredRules } from './rbac-covers.ts';
import type { RbacRules } from './rbac-authorizer.ts';
import { type PolicyRule, rbacGroup } from './rbac-types.ts';
import type { UserInfo } from '../types.ts';

/**
 * Returns kube-apiserver's message if a user with these rules must not grant `rules` by writing an object of
 * `resource`; `undefined` if the user has them all.
 */
export function* escalationError(
  user: UserInfo,
  own: Pick<RbacRules, 'compiled' | 'dangling'>,
  granted: readonly PolicyRule[],
  resource: string,
): Passes<string | undefined> {
  const missing = yield* uncoveredRules(own.compiled, granted);
  if (missing.length === 0) return undefined;
  const texts = yield* ruleTexts(yield* compactRules(missing));
  const lines = yield* sortInPasses(texts, (a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const who = `user ${goQuote(user.name)} (groups=${goQuoteList(user.groups)})`;
  const text = `${who} is attempting to grant RBAC permissions not currently held:\n${lines.join('\n')}`;
  if (own.dangling.length === 0) return text;
  // kube-apiserver looks roles up in the context of the request, so its errors name the resource of the
  // request.
  const unresolved = own.dangling.map(({ name }) => `${resource}.${rbacGroup} ${goQuote(name)} not found`);
  return `${text}; resolution errors: [${aggregateText(unresolved)}]`;
}
