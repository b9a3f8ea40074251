import { fieldErrors, isObject, validateDns1123Label, validateDns1123Subdomain } from '@annex/machinery';
import { type Check, fields, oneOf, present, presentText, required } from '../../shared/checks.ts';

import { resourceReference } from '../../shared/resource-reference.ts';

const { invalid } = fieldErrors;

const controller: Check = (value, at) => {
  const name = String(value);
  const tooLong = name.length > 250 ? [fieldErrors.tooLong(at, '', 250)] : [];
  const [domain = '', rest] = [
    name.split('/')[0],
    name.includes('/') ? name.slice(name.indexOf('/') + 1) : '',
  ];
  if (!rest)
    return [...tooLong, invalid(at, value, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  return [...tooLong, ...validateDns1123Subdomain(domain).map((why) => invalid(at, domain, why))];
};

const parameters: Check = (value, at) => {
  if (!isObject(value)) return [];
  const { scope, namespace } = value;
  const where = at.child('namespace');
  const errors = resourceReference(value, at);
  if (scope !== 'Cluster' && scope !== 'Namespace')
    return [...errors, ...present(oneOf('Cluster', 'Namespace'))(scope, at.child('scope'))];
  if (scope === 'Namespace')
    errors.push(
      ...present(presentText(validateDns1123Label), "`parameters.scope` is set to 'Namespace'")(
        namespace,
        where,
      ),
    );
  if (scope === 'Cluster' && namespace !== undefined)
    errors.push(fieldErrors.forbidden(where, "`parameters.scope` is set to 'Cluster'"));
  return errors;
};

/** Checks the spec of an IngressClass. */
export const validateIngressClassSpec: Check = fields({ controller: required(controller), parameters });
