import { memoryDeps, tokenIsName } from '@annex/app-testkit';
import type { ResourceKind } from '@annex/kinds';
import { coreKinds } from './core-kinds.ts';
import { IpRange } from './core/services/ip-range.ts';

/** The dependencies of the kinds in tests. */
export const kindsConfig = {
  authenticator: tokenIsName,
  serviceClusterIpRange: new IpRange('10.0.0.0/16'),
};

const kinds = coreKinds(memoryDeps(), kindsConfig);

/** Returns a kind by `group/resource`. */
export function kindOf(key: string): ResourceKind {
  const found = kinds.find(({ group, resource }) => `${group}/${resource}` === key);
  if (found === undefined) throw new Error(`${key} is no kind`);
  return found;
}
