import {
  errorsAtOnce,
  type FieldError,
  fieldErrors,
  fieldImmutable,
  FieldPath,
  isObject,
  type KubeObject,
} from '@annex/machinery';
import { type Check, childOf, each } from '../../shared/checks.ts';
import { cidrErrors } from '../../shared/cidrs.ts';

const { invalid } = fieldErrors;

/** Checks the ranges of a ServiceCIDR: one for each family. */
export const validateServiceCidrSpec: Check = (value, at) => {
  const ranges = isObject(value) && Array.isArray(value.cidrs) ? value.cidrs : [];
  const where = at.child('cidrs');
  if (ranges.length === 0) return [fieldErrors.required(where, 'at least one CIDR required')];
  if (ranges.length > 2) return [invalid(where, { CIDRs: ranges }, 'may only hold up to 2 values')];
  const errors = errorsAtOnce(() => each(cidrErrors)(ranges, where));
  const families = ranges.map((range) => String(range).includes(':'));
  if (errors.length === 0 && families.length === 2 && families[0] === families[1]) {
    const why = 'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64';
    errors.push(invalid(where, ranges, why));
  }
  return errors;
};

/** Checks that ranges do not change. A range of the other family may be added. */
export function validateServiceCidrUpdate(cidr: KubeObject, old: KubeObject): FieldError[] {
  const rangesOf = (of: KubeObject): unknown => childOf(of, 'spec').cidrs ?? null;
  const [ranges, before] = [rangesOf(cidr), rangesOf(old)];
  const where = FieldPath.of('spec', 'cidrs');
  const [list, known] = [ranges, before].map((value) => (Array.isArray(value) ? value : []));
  const isAdded = known?.length === 1 && list?.length === 2;
  if (list === undefined || known === undefined || (list.length !== known.length && !isAdded))
    return [invalid(where, ranges, fieldImmutable)];
  const changed = known.flatMap((range, index) =>
    range === list[index] ? [] : [invalid(where.index(index), list[index] ?? '', fieldImmutable)],
  );
  return isAdded
    ? [...changed, ...validateServiceCidrSpec(childOf(cidr, 'spec'), FieldPath.of('spec'))]
    : changed;
}
