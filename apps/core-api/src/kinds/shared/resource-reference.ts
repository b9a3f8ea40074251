import { validateDns1123Subdomain, validatePathSegmentName } from '@annex/machinery';
import { type Check, fields, presentText, required, text } from './checks.ts';

const segment = required(text(validatePathSegmentName));

/** Checks a reference to an object of any kind. */
export const resourceReference: Check = fields({
  apiGroup: presentText(validateDns1123Subdomain),
  kind: segment,
  name: segment,
});
