import { goQuote, goQuoteList } from '../go-quote.ts';
import { compactRules, ruleText, uncoveredRules } from './rbac-covers.ts';
import type { UserRules } from './rbac-authorizer.ts';
import type { PolicyRule } from './rbac-types.ts';
import type { UserInfo } from '../types.ts';

/** Why a user with these rules may not grant those, in kube's words; `undefined` where the user holds them all. */
export function escalationComplaint(
  user: UserInfo,
  own: UserRules,
  granted: readonly PolicyRule[],
): string | undefined {
  const missing = uncoveredRules(own.rules, granted);
  if (missing.length === 0) return undefined;
  const lines = [...new Set(compactRules(missing).map(ruleText))].sort();
  const who = `user ${goQuote(user.name)} (groups=${goQuoteList(user.groups)})`;
  const text = `${who} is attempting to grant RBAC permissions not currently held:\n${lines.join('\n')}`;
  return own.problems.length === 0 ? text : `${text}; resolution errors: [${own.problems.join(', ')}]`;
}
