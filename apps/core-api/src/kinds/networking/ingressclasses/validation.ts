import { fieldErrors, isObject, validateDns1123Subdomain } from '@annex/machinery';
import { type Check, fields, isMissing, oneOf, required } from '../../shared/checks.ts';

const { invalid } = fieldErrors;

const controller: Check = (value, at) => {
  const name = String(value);
  if (name.length > 250) return [fieldErrors.tooLong(at, '', 250)];
  const [domain = '', rest] = [
    name.split('/')[0],
    name.includes('/') ? name.slice(name.indexOf('/') + 1) : '',
  ];
  if (!rest) return [invalid(at, value, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  return validateDns1123Subdomain(domain).map((why) => invalid(at, domain, why));
};

const parameters: Check = (value, at) => {
  if (!isObject(value)) return [];
  const { kind, name, scope, namespace } = value;
  const where = at.child('namespace');
  const errors = [...required()(kind, at.child('kind')), ...required()(name, at.child('name'))];
  if (scope !== 'Cluster' && scope !== 'Namespace')
    return [...errors, ...required(oneOf('Cluster', 'Namespace'))(scope, at.child('scope'))];
  if (scope === 'Namespace' && isMissing(namespace))
    errors.push(fieldErrors.required(where, "`parameters.scope` is set to 'Namespace'"));
  if (scope === 'Cluster' && namespace !== undefined)
    errors.push(fieldErrors.forbidden(where, "`parameters.scope` is set to 'Cluster'"));
  return errors;
};

/** Checks the spec of an IngressClass. */
export const validateIngressClassSpec: Check = fields({ controller: required(controller), parameters });
