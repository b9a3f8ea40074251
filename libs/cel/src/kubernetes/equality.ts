import type { CallCost } from '../costs/cost.ts';
import { exactly, type Range } from '../costs/range.ts';
import type { Library } from '../functions/library.ts';
import { type CelType, sameType } from '../typing/type.ts';
import { Instance, type Value } from '../values/value.ts';
import { costing, traversal } from './call-costs.ts';

/** The estimated maximum length of the name of a format. */
const longestFormat = 64;

type Estimate = (left: Range | undefined, right: Range | undefined) => Range;
const one: Estimate = () => exactly(1);

const estimates: ReadonlyMap<string, Estimate> = new Map<string, Estimate>([
  ['net.IP', one],
  ['net.CIDR', one],
  ['kubernetes.Quantity', one],
  ['kubernetes.Semver', one],
  ['kubernetes.authorization.Authorizer', one],
  ['kubernetes.authorization.PathCheck', one],
  ['kubernetes.authorization.GroupCheck', one],
  ['kubernetes.authorization.ResourceCheck', one],
  ['kubernetes.authorization.Decision', one],
  ['kubernetes.NamedFormat', () => traversal({ min: 1, max: longestFormat })],
  ['kubernetes.URL', (left, right) => traversal({ min: 1, max: (left && right?.max) ?? 1 })],
]);

const comparison: CallCost = {
  estimate({ args: [left, right] }) {
    if (!left || !right || !sameType(left.type, right.type)) return undefined;
    const estimate = estimates.get(left.type.name);
    return estimate && { cost: estimate(left.size, right.size) };
  },
  actual: ([left]) => (isOwn(left!) ? 1 : undefined),
};

const isOwn = (value: Value): boolean => value instanceof Instance && isOwnType(value.type);
const isOwnType = ({ name }: CelType): boolean => estimates.has(name);

/** The costs of comparing values of Kubernetes types. */
export const equalityCosts: Library = {
  name: 'kubernetes.equality',
  functions: [costing(comparison, '_==_')],
};
