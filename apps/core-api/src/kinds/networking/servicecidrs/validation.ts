import { fieldErrors, isObject } from '@annex/machinery';
import { type Check, each } from '../../shared/checks.ts';
import { cidrErrors } from '../../shared/cidrs.ts';

const { invalid } = fieldErrors;

/** Checks the ranges of a ServiceCIDR: one for each family. */
export const validateServiceCidrSpec: Check = (value, at) => {
  const ranges = isObject(value) && Array.isArray(value.cidrs) ? value.cidrs : [];
  const where = at.child('cidrs');
  if (ranges.length === 0) return [fieldErrors.required(where, 'at least one CIDR required')];
  if (ranges.length > 2) return [invalid(where, { CIDRs: ranges }, 'may only hold up to 2 values')];
  const errors = each(cidrErrors)(ranges, where);
  const families = ranges.map((range) => String(range).includes(':'));
  if (errors.length === 0 && families.length === 2 && families[0] === families[1]) {
    const why = 'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64';
    errors.push(invalid(where, ranges, why));
  }
  return errors;
};
